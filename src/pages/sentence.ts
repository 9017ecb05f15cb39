/** What a failure says, as a page says it; addresses and names of fields keep their letters. */
export function sentence(text: string): string {
  const isWord = /^[a-z]+\b(?![@_.])/.test(text);
  const begun = isWord ? text.charAt(0).toUpperCase() + text.slice(1) : text;
  return begun.endsWith('.') ? begun : `${begun}.`;
}
