import { decodeJwt } from 'jose';
import { describe, expect, it } from 'vitest';
import { boot, type Booted } from '../../support/boot.ts';
import type { Browser } from '../../support/browser.ts';
import { ask, exchange, NOW, SECONDS } from '../oauth-support.ts';
import { ADA, authorizeUrl, expectCode, expectError, lastRow, NINA, signedIn } from '../sign-in-support.ts';

const idTokenOf = async ({ anonymous }: Booted, code: string | null) =>
  (await ask(anonymous, exchange(code!)).expect(200)).body.id_token as string;

/** A browser whose user signed in at `NOW`, and the id_token of that. */
async function atNow(parameters: Record<string, string> = {}) {
  const booted = await boot({ now: NOW });
  const { browser, visit } = await signedIn(booted, ADA, parameters);
  return { booted, browser, id_token: await idTokenOf(booted, visit.query('code')) };
}

const advance = ({ control }: Booted, by: string) => control.post('/clock/advance').send({ by }).expect(200);
const silent = (browser: Browser, parameters: Record<string, string>) =>
  browser.open(authorizeUrl({ prompt: 'none', ...parameters }));

describe('max_age', () => {
  it('lets a session continue that is young enough, and asks again afterwards', async () => {
    const { booted, browser } = await atNow();

    await advance(booted, '60s');
    expectCode(await silent(browser, { max_age: '60' }));
    await advance(booted, '1s');
    expectError(await silent(browser, { max_age: '60' }), 'login_required');
    expectCode(await silent(browser, {}));
    const page = await browser.open(authorizeUrl({ max_age: '60' }));
    expectCode(await page.submit({ user_id: ADA.id }));

    expectCode(await silent(browser, { max_age: '1' }));
  });

  it('of 0 always asks, and an empty one never', async () => {
    const { browser } = await atNow();

    expectError(await silent(browser, { max_age: '0' }), 'login_required');
    expectCode(await silent(browser, { max_age: '' }));
  });

  it('adds the time of the sign-in to the id_token, whenever the session continues', async () => {
    const { booted, browser, id_token } = await atNow();
    await advance(booted, '30s');

    const asked = await silent(browser, { max_age: '60', acr_values: 'mfa' });

    expect(decodeJwt(id_token)).not.toHaveProperty('auth_time');
    expect(decodeJwt(await idTokenOf(booted, asked.query('code')))).toMatchObject({ auth_time: SECONDS });
    expect(await lastRow(booted.control, 'sessions')).toMatchObject({ authenticated_at: NOW });
  });

  it('does not show the time in the session of the API', async () => {
    const { booted } = await atNow();
    const { id } = (await lastRow(booted.control, 'sessions')) as { id: string };

    const { body } = await booted.api.get(`/api/v1/sessions/${id}`).expect(200);

    expect(body).not.toHaveProperty('authenticated_at');
  });
});

describe('id_token_hint', () => {
  it('of the user of the session continues it', async () => {
    const { browser, id_token } = await atNow();

    expectCode(await silent(browser, { id_token_hint: id_token }));
  });

  it('in another text of the same bytes is invalid', async () => {
    const { browser, id_token } = await atNow();

    expectError(await silent(browser, { id_token_hint: `${id_token}=` }), 'login_required');
  });

  it('of another user is not answered with a code for the one who is signed in', async () => {
    const { booted, id_token } = await atNow();
    const { browser } = await signedIn(booted, { id: 'usr_10000000000000109' });

    expectError(await silent(browser, { id_token_hint: id_token }), 'login_required');
    const page = await browser.open(authorizeUrl({ id_token_hint: id_token }));
    expectError(await page.submit({ user_id: NINA.id }), 'login_required');
  });
});
