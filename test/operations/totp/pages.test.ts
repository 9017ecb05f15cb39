import { describe, expect, it } from 'vitest';
import { boot, type Booted } from '../../support/boot.ts';
import { Browser, type Visit } from '../../support/browser.ts';
import { AUTHORIZE } from '../../support/sso.ts';
import { NINA, YUKI } from '../../support/fixture-ids.ts';

const PROFILE = '/ui/profile/authenticator';
/** No identity provider serves the domain of her address. */
const EMAIL = 'yuki@lumen.example';
const BACK = /^http:\/\/localhost:3000\/callback\?code=/;

/** The user has an authenticator app, whose last code is old. */
async function withApp(user = YUKI) {
  const booted = await boot({ now: '2030-01-01T00:00:10Z' });
  const { body } = await booted.control.post('/totp').send({ user }).expect(200);
  await booted.control.post('/clock/advance').send({ by: '1m' }).expect(200);
  return { ...booted, backup: body.backup_codes[0] as string };
}

const codeOf = async ({ control }: Pick<Booted, 'control'>, user = YUKI): Promise<string> =>
  (await control.get('/totp').query({ user }).expect(200)).body.code;

const signInAs = async (browser: Browser, user_id = YUKI) =>
  (await browser.open(AUTHORIZE)).submit({ user_id }, 'user_id');

describe('the page of the second factor', () => {
  it('asks for the code of the app', async () => {
    const booted = await withApp();
    const page = await signInAs(new Browser(booted));
    expect(page.text).toContain(EMAIL);

    const back = await page.submit({ code: await codeOf(booted) });

    expect(back.url).toMatch(BACK);
  });

  it('takes a backup code once', async () => {
    const booted = await withApp();

    const visits: Visit[] = [];
    for (let count = 0; count < 2; count += 1)
      visits.push(await (await signInAs(new Browser(booted))).submit({ code: booted.backup }));

    expect(visits[0]!.url).toMatch(BACK);
    expect([visits[1]!.status, visits[1]!.text]).toEqual([400, expect.stringContaining('Code is wrong.')]);
  });

  it('refuses a code that was used, and all after five wrong ones', async () => {
    const booted = await withApp();
    const code = await codeOf(booted);
    await (await signInAs(new Browser(booted))).submit({ code });
    const page = await signInAs(new Browser(booted));

    const texts: string[] = [(await page.submit({ code })).text];
    for (let count = 0; count < 4; count += 1) texts.push((await page.submit({ code: '000000' })).text);
    texts.push((await page.submit({ code: await codeOf(booted) })).text);

    expect(texts[0]).toContain('Code was used already: wait for the next one.');
    expect(texts[1]).toContain('Code is wrong.');
    expect(texts[5]).toContain('Too many wrong codes: wait ten minutes.');
  });

  it('is not shown in a session, but after prompt=login', async () => {
    const booted = await withApp();
    const browser = new Browser(booted);
    await (await signInAs(browser)).submit({ code: await codeOf(booted) });

    const inSession = await browser.open(AUTHORIZE);
    const again = await (
      await browser.open(`${AUTHORIZE}&prompt=login`)
    ).submit({ user_id: YUKI }, 'user_id');

    expect(inSession.url).toMatch(BACK);
    expect(again.url).toMatch(/\/second-factor$/);
  });

  it('is not shown after an identity provider, nor in an automatic sign-in', async () => {
    const booted = await withApp();
    await booted.control.post('/totp').send({ user: 'ravi@acme.example' }).expect(200);

    const start = await new Browser(booted).open(AUTHORIZE);
    const provider = await start.submit({ email: 'ravi@acme.example' });
    const silent = await new Browser(booted).open(`${AUTHORIZE}&understudy_auto=1&login_hint=${EMAIL}`);

    expect(silent.url).toMatch(BACK);
    expect((await provider.submit()).url).toMatch(BACK);
  });

  it('is not shown after a passkey that verified the user, but after one that did not', async () => {
    const booted = await withApp();
    const { control } = booted;
    const row = {
      provider: 'CUSTOM',
      type: 'WEBAUTHN',
      status: 'COMPLETED',
      enabled: true,
      provider_key: 'WEBAUTHN',
      key_id: 'WEBAUTHN',
    };
    await control.put('/state/connections/conn_10000000000000299').send(row).expect(200);
    await control.post('/passkeys').send({ user: YUKI }).expect(200);

    const urls: string[] = [];
    for (const user_verified of [true, false]) {
      const page = await new Browser(booted).open(AUTHORIZE);
      const [, challenge] = /challenge&quot;:&quot;([^&]*)/.exec(page.text)!;
      const { body } = await control.post('/passkeys/sign').send({ challenge, user_verified }).expect(200);
      const { response, credential_id } = body.body;
      urls.push((await page.submit({ credential_id, ...response }, 'data-passkey')).url);
    }

    expect(urls).toEqual([expect.stringMatching(BACK), expect.stringMatching(/\/second-factor$/)]);
  });

  it('stands before the choice of an organization', async () => {
    const booted = await withApp(NINA);
    const browser = new Browser(booted);
    const page = await signInAs(browser, NINA);
    const start = page.url.replace('/second-factor', '');
    const [, csrf_token = ''] = /name="csrf_token" value="([^"]*)"/.exec(page.text)!;

    const chosen = await browser.send(`${start}/organization`, {
      csrf_token,
      organization_id: 'org_10000000000000001',
    });
    const continued = await browser.open('/ui/login?organization_id=org_10000000000000001');
    const proved = await page.submit({ code: await codeOf(booted, NINA) });

    expect([chosen.url, continued.url]).toEqual([page.url, page.url]);
    expect(proved.text).toContain('Choose an organization');
  });

  it('does not open before the user is known, nor without an app', async () => {
    const booted = await boot();
    const browser = new Browser(booted);
    const start = await browser.open(AUTHORIZE);
    const [, csrf_token = ''] = /name="csrf_token" value="([^"]*)"/.exec(start.text)!;

    const shown = await browser.open(`${start.url}/second-factor`);
    const sent = await browser.send(`${start.url}/second-factor`, { csrf_token, code: '000000' });

    expect([shown.url, sent.url]).toEqual([start.url, start.url]);
  });
});

describe('the page of the authenticator app', () => {
  /** The page, in a browser in which Yuki is signed in. */
  async function profile(booted: Booted) {
    const browser = new Browser(booted);
    await signInAs(browser);
    return browser.open(PROFILE);
  }

  it('sets up an app, shows the backup codes once, and disables the app', async () => {
    const booted = await boot();
    const page = await profile(booted);

    const started = await page.submit({}, 'value="start"');
    const { body: app } = await booted.control.get('/totp').query({ user: YUKI }).expect(200);
    const enabled = await started.submit({ code: app.code }, 'value="enable"');
    const codes = [...enabled.text.matchAll(/<code>(\d{4}-\d{4})<\/code>/g)].map(([, code]) => code!);
    const shown = await started.submit({ code: codes[0]! }, 'value="enable"');
    const disabled = await shown.submit({ code: codes[1]! }, 'value="disable"');

    expect(started.text).toContain(`<code>${app.secret}</code>`);
    expect(started.text).toContain('href="otpauth://totp/Scalekit:yuki%40lumen.example');
    expect(started.text).toMatch(/<svg\s+role="img"\s+aria-label="The key as a picture"/);
    expect(codes).toHaveLength(10);
    expect([shown.status, shown.text]).toEqual([400, expect.stringContaining('is enabled already')]);
    expect(shown.text).toContain('Unused backup codes: 10.');
    expect(disabled.text).toContain('Set up an app');
  });

  it('says what is wrong, and keeps the key', async () => {
    const page = await profile(await boot());

    const none = await page.submit({ action: 'enable', code: '1' }, 'value="start"');
    const started = await page.submit({}, 'value="start"');
    const wrong = await started.submit({ code: '000000' }, 'value="enable"');

    expect([none.status, none.text]).toEqual([400, expect.stringContaining('There is no authenticator app')]);
    expect([wrong.status, wrong.text]).toEqual([400, expect.stringContaining('Code is wrong.')]);
    const key = /<code>([A-Z2-7]+)<\/code>/;
    expect(key.exec(wrong.text)![1]).toBe(key.exec(started.text)![1]);
  });

  it('refuses a browser in which nobody is signed in, and the form of another page', async () => {
    const booted = await boot();
    const page = await profile(booted);

    const foreign = await page.submit({ csrf_token: 'x' }, 'value="start"');
    const nobody = await new Browser(booted).open(PROFILE);

    expect([foreign.status, nobody.status]).toEqual([400, 403]);
  });
});
