import { describe, expect, it } from 'vitest';
import { boot } from '../support/boot.ts';
import { Browser } from '../support/browser.ts';

const AUTHORIZE =
  '/oauth/authorize?client_id=skc_1000000000000000001&redirect_uri=http://localhost:3000/callback&response_type=code&scope=openid';

describe('the log of a sign-in', () => {
  it('has one row, which follows it to its end', async () => {
    const booted = await boot();
    const log = async () =>
      (await booted.api.get('/api/v1/logs/authentication/requests')).body.authRequests[0];

    const page = await new Browser(booted).open(AUTHORIZE);
    const begun = await log();
    await page.submit({ email: 'priya@contractor.example' });
    const ended = await log();

    expect(begun).toMatchObject({ status: 'INITIATED', email: '', client_id: 'skc_1000000000000000001' });
    expect(ended).toMatchObject({
      status: 'SUCCESS',
      email: 'priya@contractor.example',
      auth_request_id: begun.auth_request_id,
    });
  });
});
