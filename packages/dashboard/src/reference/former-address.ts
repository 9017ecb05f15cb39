import { percentDecoded } from '@understudy/text/addresses';

/**
 * The API reference was a page of its own, at `/_control/reference?environment=blue#/operations/ID`. The server redirects
 * to the dashboard and leaves the fragment to the browser. Undefined: the address is none of these.
 */
export function placeOf({ search, hash }: { search: string; hash: string }): string | undefined {
  const asked = new URLSearchParams(search);
  if (!asked.has('reference')) return undefined;
  const environment = asked.get('environment') ?? 'default';
  const document = asked.get('document') === 'control' ? 'control' : 'service';
  const [, kind, name = ''] = hash.replace(/^#/, '').split('/').map(stepOf);
  const steps =
    kind === 'operations'
      ? ['operation', name]
      : kind === 'schemas'
        ? ['schema', document, name]
        : ['reference'];
  return `#/${[environment, ...steps].map(encodeURIComponent).join('/')}`;
}

/** One step of an address; text that nothing encodes stays as it is. */
export const stepOf = (text: string): string => percentDecoded(text) ?? text;
