import { expect } from 'vitest';
import type { Visit } from '../support/browser.ts';

export const MARKUP = `"'><script>alert(1)</script><img src=x onerror=alert(2)>&amp;`;
/** Matches markup that was not escaped. */
export const BROKEN_OUT = /<script>alert|<img src=x|"'>/;

/** Expects an HTML page without unescaped markup. */
export const expectHarmless = ({ status, text, response }: Visit) => {
  expect(response?.headers['content-type']).toBe('text/html; charset=utf-8');
  expect([status, text.match(BROKEN_OUT)]).toEqual([expect.any(Number), null]);
  expect(status).toBeLessThan(500);
};

/**
 * Submits each form of the page once for each of its fields, including hidden ones, with markup in that field, and
 * expects harmless pages. Returns the tried fields.
 */
export async function tryEveryField(page: Visit): Promise<string[]> {
  const tried: string[] = [];
  for (const [form] of page.text.matchAll(/<form[^]*?<\/form>/g)) {
    const [, path = ''] = /action="([^"]*)"/.exec(form) ?? [];
    for (const [, name = ''] of form.matchAll(/<(?:input|select|textarea|button)\b[^>]*? name="([^"]+)"/g)) {
      expectHarmless(await page.submit({ [name]: MARKUP }, form));
      tried.push(`${path} ${name}`);
    }
  }
  return tried;
}
