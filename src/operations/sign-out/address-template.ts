import type { Rows } from '../../environment/rows/schema.ts';

/**
 * Fills `{{org_slug}}`, `{{external_id}}` and `{{metadata key}}` in a registered address; undefined if the
 * organization lacks one of the values.
 */
export function expandAddress(
  template: string,
  organization: Rows['organizations'] | undefined,
): string | undefined {
  let isComplete = true;
  const address = template.replace(/\{\{\s*([\w-]+)\s*\}\}/g, (_, name: string) => {
    const value = organization && valueOf(organization, name);
    if (value === undefined) isComplete = false;
    return encodeURIComponent(value ?? '');
  });
  return isComplete ? address : undefined;
}

function valueOf({ slug, external_id, metadata }: Rows['organizations'], name: string): string | undefined {
  if (name === 'org_slug') return slug;
  return name === 'external_id' ? external_id : metadata?.[name];
}
