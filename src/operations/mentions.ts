/** Whether one of the texts holds the wanted one, in upper or lower case. */
export function mentions(wanted: string, texts: readonly (string | undefined)[]): boolean {
  const sought = wanted.toLowerCase();
  return texts.some((text) => text?.toLowerCase().includes(sought));
}
