import { describe, expect, it } from 'vitest';
import { openWindow, setStage, withBrowser } from './support/stage.ts';

withBrowser();

describe.each([
  ['with JavaScript', { javaScriptEnabled: true }],
  ['without JavaScript', { javaScriptEnabled: false }],
])('a sign-in %s', (_, options) => {
  it('takes a user through the code flow with PKCE, state and nonce', async () => {
    const { party } = await setStage();
    const page = await openWindow(options);

    await page.goto(`${party.url}/login`);
    await page.getByLabel('E-mail address').fill('nina@nordwind.example');
    await page.keyboard.press('Enter');
    await page.waitForURL(`${party.url}/**`);

    expect(await page.getByRole('heading').textContent()).toBe('Signed in');
    expect(await page.textContent('p')).toBe('You are nina@nordwind.example.');
    expect(party.claims).toMatchObject({ sub: 'usr_10000000000000103', email: 'nina@nordwind.example' });
  });
});
