import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openWindow, setStage } from './support/stage.ts';

const PAGES = readdirSync(join(import.meta.dirname, '../../docs'), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.md') && !file.startsWith('maintainers'))
  .map((file) => file.replace(/\.md$/, '').replace('README', ''));

/** The words in code of tables that stand on more than one line. A browser may break after a hyphen or a slash. */
const BROKEN_WORDS = `[...document.querySelectorAll('td code')].flatMap((code) => {
  const text = code.firstChild;
  return [...text.data.matchAll(/\\w+/g)].filter(({ 0: word, index }) => {
    const range = document.createRange();
    range.setStart(text, index);
    range.setEnd(text, index + word.length);
    return range.getClientRects().length > 1;
  }).map(([word]) => word);
})`;

describe('the docs of the dashboard', () => {
  it('are linked from the front page and from the dashboard', async () => {
    const { issuer } = await setStage();
    const page = await openWindow();
    await page.goto(issuer);
    await page.getByRole('link', { name: 'Docs' }).click();
    await page.getByRole('heading', { level: 1, name: 'Documentation of Understudy' }).waitFor();

    await page.goto(`${issuer}/_control/`);
    await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Docs' }).click();

    await page.getByRole('heading', { level: 1, name: 'Documentation of Understudy' }).waitFor();
  });

  it('have links between the pages, and to headings of a page', async () => {
    const { issuer } = await setStage();
    const page = await openWindow();
    await page.goto(`${issuer}/_control/docs`);
    await page.getByRole('article').getByRole('link', { name: 'Time', exact: true }).click();
    await page.waitForURL(/\/_control\/docs\/time$/);

    const contents = page.getByRole('navigation', { name: 'On this page' });
    await contents.getByRole('link', { name: 'The clock', exact: true }).click();
    await page.waitForURL(/\/time#the-clock$/);

    await page
      .getByRole('navigation', { name: 'Pages' })
      .getByRole('link', { name: 'Webhooks', exact: true })
      .click();
    await page.getByRole('heading', { level: 1, name: 'Webhooks' }).waitFor();
  });

  it('show pictures', async () => {
    const { issuer } = await setStage();
    const page = await openWindow();
    await page.goto(`${issuer}/_control/docs/getting-started`);
    await page.getByRole('article').getByRole('img').first().waitFor();

    await page.waitForFunction("document.querySelector('article img').naturalWidth > 100");
  });

  it('have no link that leads nowhere', async () => {
    const { issuer } = await setStage();
    const page = await openWindow();
    const broken: string[] = [];
    const anchors = new Map<string, Set<string>>();
    const linked = new Map<string, string[]>();
    for (const name of PAGES) {
      await page.goto(`${issuer}/_control/docs/${name}`);
      const address = page.url();
      anchors.set(
        address,
        new Set(
          await page.evaluate<string[]>("[...document.querySelectorAll('[id]')].map((each) => each.id)"),
        ),
      );
      linked.set(
        address,
        await page.evaluate<string[]>("[...document.querySelectorAll('article a')].map((each) => each.href)"),
      );
    }
    for (const [address, links] of linked)
      for (const link of links.filter((each) => each.startsWith(`${issuer}/_control/docs`))) {
        const [target = '', anchor] = link.split('#');
        const isKnown =
          anchor === undefined ? anchors.has(target) : anchors.get(target)?.has(decodeURIComponent(anchor));
        if (!isKnown) broken.push(`${address}: ${link}`);
      }

    expect(broken).toEqual([]);
  });

  it('have tables that scroll sideways on a phone instead of breaking words', async () => {
    const { issuer } = await setStage();
    const page = await openWindow({ viewport: { width: 360, height: 800 } });
    await page.goto(`${issuer}/_control/docs/command-line`);

    const broken = await page.evaluate<string[]>(BROKEN_WORDS);

    expect(broken).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
  });

  it('are searched by the keyboard', async () => {
    const { issuer } = await setStage();
    const page = await openWindow();
    await page.goto(`${issuer}/_control/docs/time`);

    await page.keyboard.press('/');
    await page.keyboard.type('signature rotate');
    await page.getByRole('region', { name: 'Search results' }).getByRole('link').first().waitFor();
    await page.keyboard.press('Enter');
    await page.keyboard.press('Enter');

    await page.waitForURL((url) => !url.pathname.endsWith('/time'));
    await page.getByRole('heading', { level: 1 }).waitFor();
  });

  it('say that nothing was found, and show what is searched for as text', async () => {
    const { issuer } = await setStage();
    const page = await openWindow();
    await page.goto(`${issuer}/_control/docs/`);

    await page.getByRole('searchbox').fill('<img src=x onerror=alert(1)>');

    await page.getByText('No page has “<img src=x onerror=alert(1)>”.').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('article').waitFor();
  });
});
