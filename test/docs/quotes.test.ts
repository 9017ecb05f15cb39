import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { placeOf, quotes } from './pages.ts';

/** The page's formatter may break lines at other places than that of the file. */
const withoutLayout = (text: string) => text.replace(/\s+/g, '').replace(/,(?=[)\]}])/g, '');

it.each(quotes().map((block) => [placeOf(block), block] as const))('%s quotes its file', (_place, block) => {
  const { source, text } = block;
  const isThere = withoutLayout(readFileSync(source, 'utf8')).includes(withoutLayout(text));

  expect(isThere, `${source} does not have these lines:\n${text}`).toBe(true);
});
