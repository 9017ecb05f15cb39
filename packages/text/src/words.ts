/** The words of a search, in lower case. */
export const wordsOf = (query: string): string[] => query.toLowerCase().split(/\s+/).filter(Boolean);

/** Returns a function that says whether a text has every word of the query, in any order; upper and lower case are the same. */
export function searchFor(query: string): (text: string) => boolean {
  const words = [...new Set(wordsOf(query))];
  return (text) => {
    const lower = text.toLowerCase();
    return words.every((word) => lower.includes(word));
  };
}

export const hasWords = (text: string, query: string): boolean => searchFor(query)(text);

/** Such as `1 call` and `2 calls`. */
export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

interface NameParts {
  readonly name?: string;
  readonly given_name?: string;
  readonly family_name?: string;
}

/** The full name of a profile, which may have only the parts of one. Empty: it has neither. */
export const fullName = ({ name, given_name = '', family_name = '' }: NameParts): string =>
  name || `${given_name} ${family_name}`.trim();
