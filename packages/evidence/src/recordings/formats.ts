const FORMATS: readonly [name: string, form: RegExp][] = [
  ['empty', /^$/],
  ['secret', /^redacted-/],
  ['date-time', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/],
  ['date', /^\d{4}-\d\d-\d\d$/],
  ['JWT', /^[\w-]+\.[\w-]{8,}\.[\w-]*$/],
  ['URL', /^[a-z][a-z0-9+.-]*:\/\//i],
  ['email', /^[^\s@]+@[^\s@]+$/],
  ['UUID', /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i],
  ['number', /^-?\d+(\.\d+)?$/],
];

const ID = /^([a-z][a-z0-9]{1,11}_)(?=\w*\d)\w{4,}$/;

/** What a text looks like. Nothing of it is in the answer but the prefix of an id, such as `org_`. */
export function formatOf(text: string): string {
  const [, prefix] = ID.exec(text) ?? [];
  if (prefix !== undefined) return `id ${prefix}`;
  return FORMATS.find(([, form]) => form.test(text))?.[0] ?? 'text';
}
