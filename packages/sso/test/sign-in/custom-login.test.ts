import { describe, expect, it } from 'vitest';
import { boot, type Booted } from '../../../../test/support/boot.ts';
import { Browser } from '../../../../test/support/browser.ts';
import { atProvider, patchRow } from '../../../../test/support/sso.ts';
import { OKTA } from '../../../../test/support/fixture-ids.ts';

const OWN = 'https://desk.example.com/login';

/** A browser that was redirected to the custom login page. */
async function atCustomPage(booted: Booted) {
  await patchRow(booted.control, 'connections', OKTA, { custom_login_uri: OWN });
  const browser = new Browser(booted);
  const page = await atProvider(booted, { browser });
  const continueSignIn = () =>
    browser.open(`/sso/v1/connections/${OKTA}/partner:callback?state=${page.query('state')}`);
  const report = (user: object) =>
    booted.api
      .post(`/api/v1/connections/${OKTA}/auth-requests/${page.query('login_request_id')}/user`)
      .send(user);
  return { page, continueSignIn, report };
}

describe('a connection with a custom login page', () => {
  it('redirects to the custom page and continues with the user that the page reports', async () => {
    const { page, continueSignIn, report } = await atCustomPage(await boot());

    await report({ sub: 'desk-1', email: 'ada@acme.example' }).expect(200);
    const back = await continueSignIn();

    expect(page.url).toMatch(/^https:\/\/desk\.example\.com\/login\?login_request_id=lri_\d+&state=\w{32}$/);
    expect(back.url).toMatch(
      /^http:\/\/localhost:3000\/callback\?code=\w{40}&state=s1&iss=http%3A%2F%2Flocalhost%3A8080$/,
    );
  });

  it('creates a new user with the reported names', async () => {
    const booted = await boot();
    const { continueSignIn, report } = await atCustomPage(booted);

    await report({ sub: 'desk-2', email: 'mia@acme.example', given_name: 'Mia', family_name: 'Lund' }).expect(
      200,
    );
    await continueSignIn();

    const { body } = await booted.api.get('/api/v1/users:search?query=mia@acme').expect(200);
    expect(body.users[0].user_profile).toMatchObject({ given_name: 'Mia', family_name: 'Lund' });
  });

  it('fails when the page reports a failure or nothing', async () => {
    const failing = await atCustomPage(await boot());
    const unanswered = await atCustomPage(await boot());

    await failing.report({ login_failed: true }).expect(200);
    const failed = await failing.continueSignIn();
    const pending = await unanswered.continueSignIn();

    expect(failed.query('error')).toBe('authentication_not_completed');
    expect(pending.query('error_description')).toMatch(/^login request lri_\d+ is pending$/);
  });

  it('continues once, and only with the state and in the browser of this sign-in', async () => {
    const booted = await boot();
    const { page, continueSignIn, report } = await atCustomPage(booted);
    await report({ sub: 'desk-1', email: 'ada@acme.example' }).expect(200);
    const address = `/sso/v1/connections/${OKTA}/partner:callback?state=`;

    const stolen = await new Browser(booted).open(`${address}${page.query('state')}`);
    const guessed = await new Browser(booted).open(`${address}guessed`);
    await continueSignIn();
    const again = await continueSignIn();

    expect([stolen.status, guessed.status, again.status]).toEqual([403, 404, 404]);
  });

  it('fails after the login request expires', async () => {
    const booted = await boot({ now: '2030-01-01T00:00:00Z' });
    const { continueSignIn } = await atCustomPage(booted);

    await booted.control.post('/clock/advance').send({ by: '16m' }).expect(200);
    const back = await continueSignIn();

    expect(back.query('error_description')).toMatch(/is expired$/);
  });
});
