import type { Resource, ResourceType } from './attributes.ts';
import { patched } from './patch.ts';
import { complete, readSchemas } from './values.ts';

/**
 * The resource that a caller sent, with the names of the schemas and without read-only members. Takes names with the URN
 * of their schema as PATCH does. Throws `invalidValue`.
 */
export function readResource(type: ResourceType, sent: Readonly<Record<string, unknown>>): Resource {
  const isPath = (name: string) => urnsOf(type).some((urn) => name.toLowerCase().startsWith(`${urn}:`));
  const paths = Object.entries(sent).filter(([name]) => isPath(name));
  const resource = readSchemas(type, sent);
  if (paths.length === 0) return complete(type, resource);
  return patched(type, resource, [{ op: 'add', value: Object.fromEntries(paths) }]);
}

const urnsOf = ({ core, extensions }: ResourceType): string[] =>
  [core, ...extensions].map(({ id }) => id.toLowerCase());
