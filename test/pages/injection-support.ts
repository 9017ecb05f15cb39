import { expect } from 'vitest';
import type { Visit } from '../support/browser.ts';

export const MARKUP = `"'><script>alert(1)</script><img src=x onerror=alert(2)>&amp;`;
/** A word of it, where an address or a name must be of a certain shape. */
export const BROKEN_OUT = /<script>alert|<img src=x|"'>/;

/** A page, whatever it says, that holds none of the markup. */
export const expectHarmless = ({ status, text, response }: Visit) => {
  expect(response?.headers['content-type']).toBe('text/html; charset=utf-8');
  expect([status, text.match(BROKEN_OUT)]).toEqual([expect.any(Number), null]);
  expect(status).toBeLessThan(500);
};

/**
 * Sends each form of the page once for each field that it has, hidden ones too, with markup in that field. What comes
 * back has to be harmless, a refusal or not. Returns the fields, each by its form.
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
