import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';

const AXE = readFileSync(new URL(import.meta.resolve('axe-core/axe.min.js')), 'utf8');
const SCHEMES = ['light', 'dark'] as const;
/** In pixels. */
const WIDTHS = [320, 1280] as const;
const HEIGHT = 800;

interface Violation {
  id: string;
  nodes: { html: string }[];
}

/**
 * What axe-core finds on the page that is open, in both colour schemes and at both widths, and whether the page is
 * wider than its window. With `SCREENSHOTS=folder`, each look is saved as `<name>-<scheme>-<width>.png`.
 */
export async function flawsOf(page: Page, name: string): Promise<string[]> {
  const flaws: string[] = [];
  await page.evaluate(AXE);
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: HEIGHT });
    for (const colorScheme of SCHEMES) {
      await page.emulateMedia({ colorScheme });
      const look = `${name}, ${colorScheme}, ${width} pixels`;
      flaws.push(...(await violationsOf(page, colorScheme)).map((found) => `${look}: ${found}`));
      await picture(page, `${name.replaceAll(/\W+/g, '-')}-${colorScheme}-${width}`);
    }
    const [content, window] = await page.evaluate<number[]>(
      '[document.documentElement.scrollWidth, innerWidth]',
    );
    if (content! > window!) flaws.push(`${name}: ${content} pixels wide in a window of ${window}`);
  }
  return flaws;
}

/** The colour scheme changes nothing but colours: in the dark one, only their contrast is checked. */
async function violationsOf(page: Page, scheme: 'light' | 'dark'): Promise<string[]> {
  const options = {
    resultTypes: ['violations'],
    ...(scheme === 'dark' && { runOnly: ['color-contrast'] }),
  };
  const { violations } = await page.evaluate<{ violations: Violation[] }>(
    `axe.run(${JSON.stringify(options)})`,
  );
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
}

async function picture(page: Page, name: string): Promise<void> {
  const folder = process.env['SCREENSHOTS'];
  if (folder) await page.screenshot({ path: `${folder}/${name}.png`, fullPage: true });
}
