/** A value as one line of text: texts as they are, everything else as JSON, nothing for what is absent. */
export function textOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
