import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';

const AXE = readFileSync(new URL(import.meta.resolve('axe-core/axe.min.js')), 'utf8');
const SCHEMES = ['light', 'dark'] as const;
/** In pixels: a phone, a tablet and a screen. */
const WIDTHS = [360, 768, 1440] as const;
/** In pixels: no page is wider than this phone. */
const NARROWEST = 320;
const HEIGHT = 800;

interface Violation {
  id: string;
  nodes: { html: string }[];
}

/**
 * What axe-core finds on the page that is open, in both colour schemes and at all widths, and whether the page is
 * wider than its window. With `SCREENSHOTS=folder`, each look is saved as `<name>-<scheme>-<width>.png`.
 */
export async function flawsOf(page: Page, name: string): Promise<string[]> {
  await page.setViewportSize({ width: NARROWEST, height: HEIGHT });
  const flaws = await overflowOf(page, name);
  await page.evaluate(AXE);
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: HEIGHT });
    for (const colorScheme of SCHEMES) {
      await page.emulateMedia({ colorScheme });
      const look = `${name}, ${colorScheme}, ${width} pixels`;
      flaws.push(...(await violationsOf(page, colorScheme)).map((found) => `${look}: ${found}`));
      await picture(page, `${name.replaceAll(/\W+/g, '-')}-${colorScheme}-${width}`);
    }
    flaws.push(...(await overflowOf(page, name)));
  }
  return flaws;
}

async function overflowOf(page: Page, name: string): Promise<string[]> {
  const [content, window] = await page.evaluate<[number, number]>(
    '[document.documentElement.scrollWidth, innerWidth]',
  );
  return content > window ? [`${name}: ${content} pixels wide in a window of ${window}`] : [];
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
