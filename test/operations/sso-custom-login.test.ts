import { describe, expect, it } from 'vitest';
import { boot, type Booted } from '../support/boot.ts';
import { Browser } from '../support/browser.ts';
import { OKTA, atProvider, patchRow } from '../support/sso.ts';

const OWN = 'https://desk.example.com/login';

/** A browser that has been sent to the login page of the application's own. */
async function atOwnPage(booted: Booted) {
  await patchRow(booted.control, 'connections', OKTA, { custom_login_uri: OWN });
  const browser = new Browser(booted);
  const page = await atProvider(booted, { browser });
  const goOn = () =>
    browser.open(`/sso/v1/connections/${OKTA}/partner:callback?state=${page.query('state')}`);
  const tell = (user: object) =>
    booted.api
      .post(`/api/v1/connections/${OKTA}/auth-requests/${page.query('login_request_id')}/user`)
      .send(user);
  return { page, goOn, tell };
}

describe('a connection with a login page of your own', () => {
  it('sends the user there, and goes on with whom the page names', async () => {
    const { page, goOn, tell } = await atOwnPage(await boot());

    await tell({ sub: 'desk-1', email: 'ada@acme.example' }).expect(200);
    const back = await goOn();

    expect(page.url).toMatch(/^https:\/\/desk\.example\.com\/login\?login_request_id=lri_\d+&state=\w{32}$/);
    expect(back.url).toMatch(/^http:\/\/localhost:3000\/callback\?code=\w{40}&state=s1$/);
  });

  it('takes the name of a newcomer', async () => {
    const booted = await boot();
    const { goOn, tell } = await atOwnPage(booted);

    await tell({ sub: 'desk-2', email: 'mia@acme.example', given_name: 'Mia', family_name: 'Lund' }).expect(
      200,
    );
    await goOn();

    const { body } = await booted.api.get('/api/v1/users:search?query=mia@acme').expect(200);
    expect(body.users[0].user_profile).toMatchObject({ given_name: 'Mia', family_name: 'Lund' });
  });

  it('comes to nothing where the page says so, or nothing at all', async () => {
    const failing = await atOwnPage(await boot());
    const silent = await atOwnPage(await boot());

    await failing.tell({ login_failed: true }).expect(200);
    const failed = await failing.goOn();
    const unsaid = await silent.goOn();

    expect(failed.query('error')).toBe('authentication_not_completed');
    expect(unsaid.query('error_description')).toMatch(/^login request lri_\d+ is pending$/);
  });

  it('goes on once, and with the state of the browser alone', async () => {
    const booted = await boot();
    const { page, goOn, tell } = await atOwnPage(booted);
    await tell({ sub: 'desk-1', email: 'ada@acme.example' }).expect(200);
    const address = `/sso/v1/connections/${OKTA}/partner:callback?state=`;

    const stolen = await new Browser(booted).open(`${address}${page.query('state')}`);
    const guessed = await new Browser(booted).open(`${address}guessed`);
    await goOn();
    const again = await goOn();

    expect([stolen.status, guessed.status, again.status]).toEqual([403, 404, 404]);
  });

  it('is too late when its time is over', async () => {
    const booted = await boot({ now: '2030-01-01T00:00:00Z' });
    const { goOn } = await atOwnPage(booted);

    await booted.control.post('/clock/advance').send({ by: '11m' }).expect(200);
    const back = await goOn();

    expect(back.query('error_description')).toMatch(/is expired$/);
  });
});
