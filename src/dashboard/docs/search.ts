import { wordsOf } from '../words.ts';

/** One section of a page: a heading and its text. `scripts/docs-pages.mjs` writes the index. */
export interface Section {
  /** The name of the page in its address. */
  page: string;
  title: string;
  /** Empty for what stands above the first heading of a page. */
  heading: string;
  id: string;
  text: string;
}

export interface Found {
  section: Section;
  excerpt: string;
}

const MOST = 20;
/** Characters of an excerpt before the first word that was found, and in all. */
const BEFORE = 60;
const LENGTH = 180;

/** The sections that have every word; a word in a title or heading counts more than one in the text. */
export function search(sections: readonly Section[], query: string): Found[] {
  const words = wordsOf(query);
  if (words.length === 0) return [];
  return sections
    .map((section) => ({ section, score: scoreOf(section, words) }))
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score)
    .slice(0, MOST)
    .map(({ section }) => ({ section, excerpt: excerptOf(section.text, words) }));
}

function scoreOf({ title, heading, text }: Section, words: readonly string[]): number {
  const parts = [title.toLowerCase(), heading.toLowerCase(), text.toLowerCase()] as const;
  let score = 0;
  for (const word of words) {
    if (!parts.some((part) => part.includes(word))) return 0;
    score += (parts[1].includes(word) ? 6 : 0) + (parts[0].includes(word) ? 4 : 0);
    score += Math.min(3, parts[2].split(word).length - 1);
  }
  return score;
}

function excerptOf(text: string, words: readonly string[]): string {
  const lower = text.toLowerCase();
  const first = Math.min(...words.map((word) => lower.indexOf(word)).filter((at) => at >= 0), text.length);
  const start = first === text.length ? 0 : Math.max(0, first - BEFORE);
  const shown = text.slice(start, start + LENGTH).trim();
  return `${start > 0 ? '…' : ''}${shown}${start + LENGTH < text.length ? '…' : ''}`;
}
