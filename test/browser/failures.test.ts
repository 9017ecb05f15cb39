import { describe, expect, it } from 'vitest';
import { hasHeading, signIn } from './support/pages.ts';
import { openWindow, setStage } from './support/stage.ts';

describe('a hosted page', () => {
  it('shows the outage of a scenario, and then works again', async () => {
    const { party, control } = await setStage();
    await control('POST', '/scenarios', {
      name: 'sign-in-is-down',
      rules: [{ on: ['OAuth_Authorize', 'LoginPage_Show'], times: 1, reply: { error: 'unavailable' } }],
    });
    const page = await openWindow();

    const down = await page.goto(`${party.url}/login`);

    expect(down?.status()).toBe(503);
    await hasHeading(page, 'Temporarily unavailable');
    await signIn(page, party);
    await hasHeading(page, 'Signed in');
  });

  it('is delayed by a scenario', async () => {
    const { party, control } = await setStage();
    await control('POST', '/scenarios', {
      name: 'sign-in-is-slow',
      rules: [{ on: 'LoginPage_Show', fault: { delay: '300ms' } }],
    });
    const page = await openWindow();

    await signIn(page, party);

    await hasHeading(page, 'Signed in');
    const { requests } = await control<{ requests: { duration_ms: number }[] }>(
      'GET',
      '/requests?operation=LoginPage_Show',
    );
    expect(requests[0]!.duration_ms).toBeGreaterThanOrEqual(290);
  });

  it("says that a sign-in has expired on the environment's clock", async () => {
    const { party, control } = await setStage();
    const page = await openWindow();

    await page.goto(`${party.url}/login`);
    await control('POST', '/clock/advance', { by: '31m' });
    await page.getByLabel('E-mail address').fill('yuki@lumen.example');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').waitFor();

    await hasHeading(page, 'This sign-in is over');
  });

  it('can be used with the keyboard, and marks the invalid field', async () => {
    const { party } = await setStage();
    const page = await openWindow();

    await page.goto(`${party.url}/login`);
    await page.keyboard.type('nobody@nowhere.example');
    await page.keyboard.press('Enter');
    await page.getByLabel('E-mail address').and(page.locator('[aria-invalid="true"]')).waitFor();
    await page.keyboard.press('Control+A');
    await page.keyboard.type('yuki@lumen.example');
    await page.keyboard.press('Enter');
    await page.waitForURL(`${party.url}/**`);

    await hasHeading(page, 'Signed in');
  });

  it('loads nothing, runs no script and cannot be framed', async () => {
    const { issuer } = await setStage();

    const policy = (await fetch(issuer)).headers.get('content-security-policy');

    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
  });
});
