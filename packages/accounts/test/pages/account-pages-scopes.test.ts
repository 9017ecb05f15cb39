import { describe, expect, it } from 'vitest';
import { auth } from '../../../../test/support/accounts.ts';
import { follow, pages } from '../../../../test/support/account-pages.ts';
import { GMAIL } from '../../../../test/support/fixture-ids.ts';

const CONFIG = {
  scopes: ['mail.read', 'mail.send', 'mail.delete'],
  optional_scopes: { scopes: ['calendar', 'contacts'], field_name: 'optional' },
  scope_selection_allowed: true,
  required_scopes: ['mail.read'],
  required_optional_scopes: ['contacts'],
};

async function withChoice(config: object = {}) {
  const env = await pages({ user_verification: 'off', post_user_verify_redirect_url: '' });
  await env.control
    .patch('/state/connections/conn_10000000000000201')
    .send({ oauth_config: { ...CONFIG, ...config } })
    .expect(200);
  return env;
}

const scopesOf = async ({ api }: Awaited<ReturnType<typeof withChoice>>) =>
  (await auth(api, GMAIL)).authorization_details.oauth_token.scopes as string[];

/** The boxes of the page: each scope with its marks. */
const boxesIn = (text: string) =>
  Object.fromEntries(
    [...text.matchAll(/<input\s+type="checkbox"\s+name="\w+"\s+value="([^"]*)"([^>]*)\/>/g)].map(
      ([, scope, marks = '']) => [scope, marks.trim().split(/\s+/).join(' ')],
    ),
  );

describe('the page of a provider whose connection lets users pick scopes', () => {
  it('has a box for each scope; those that are always asked for cannot be left out', async () => {
    const env = await withChoice();

    const page = await follow(env, GMAIL);

    expect(boxesIn(page.text)).toEqual({
      'mail.read': 'checked disabled',
      'mail.send': 'checked',
      'mail.delete': 'checked',
      calendar: '',
      contacts: 'checked disabled',
    });
  });

  it('gives the picked scopes and the required ones, in the order of the connection', async () => {
    const env = await withChoice();
    const page = await follow(env, GMAIL);

    await page.submit({ outcome: 'granted', scope: 'mail.delete', optional_scope: ['calendar'] });

    expect(await scopesOf(env)).toEqual(['mail.read', 'mail.delete', 'calendar', 'contacts']);
    const again = boxesIn((await follow(env, GMAIL)).text);
    expect(again).toMatchObject({ 'mail.send': '', 'mail.delete': 'checked', calendar: 'checked' });
  });

  it('gives only the required ones if nothing is picked, and none that the connection does not have', async () => {
    const env = await withChoice();
    const page = await follow(env, GMAIL);

    await page.submit({ outcome: 'granted', scope: ['admin'] });

    expect(await scopesOf(env)).toEqual(['mail.read', 'contacts']);
  });

  it('keeps the earlier choice of who denies access', async () => {
    const env = await withChoice();
    const page = await follow(env, GMAIL);

    await page.submit({ outcome: 'denied', scope: [] });

    const { body } = await env.control.get(`/state/connected_accounts/${GMAIL}`).expect(200);
    expect(body).not.toHaveProperty('scope_selection');
  });

  it('gives all scopes if the connection does not let users pick', async () => {
    const env = await withChoice({ scope_selection_allowed: false });
    const page = await follow(env, GMAIL);

    await page.submit({ outcome: 'granted', picks_scopes: 'yes', scope: ['mail.send'] });

    expect(boxesIn(page.text)).toEqual({});
    expect(await scopesOf(env)).toEqual(['mail.read', 'mail.send', 'mail.delete']);
  });
});
