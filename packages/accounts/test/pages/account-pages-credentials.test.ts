import { describe, expect, it } from 'vitest';
import { ACCOUNTS, auth, create } from '../../../../test/support/accounts.ts';
import { DONE_URL, eventsOf, follow, pages, statusOf } from '../../../../test/support/account-pages.ts';
import { FRESHDESK } from '../../../../test/support/fixture-ids.ts';

const ENTERED = {
  'static_auth.domain': 'acme.freshdesk.example',
  'static_auth.username': 'ada',
  'static_auth.password': 'a password of no one',
};

/** Creates an account that is not yet authorized and returns its id. */
const createPending = async (env: Awaited<ReturnType<typeof pages>>, connector: string) =>
  (await create(env.api, { connector, identifier: 'lea@acme.example' })).id;

describe('the form for static credentials', () => {
  it('shows each field of the provider with its label', async () => {
    const env = await pages();

    const page = await follow(env, await createPending(env, 'freshdesk'));

    expect(page.text).toContain('<h1>Connect Freshdesk</h1>');
    for (const [name, label, type] of [
      ['domain', 'Domain', 'text'],
      ['username', 'Username', 'text'],
      ['password', 'Password', 'password'],
    ]) {
      expect(page.text).toContain(`<label for="${name}">${label}</label>`);
      expect(page.text).toMatch(new RegExp(`id="${name}"\\s+name="static_auth.${name}"\\s+type="${type}"`));
    }
  });

  it('activates the account with the entered values under any verification mode and redirects', async () => {
    const env = await pages({ user_verification: 'custom' });
    const id = await createPending(env, 'freshdesk');

    const done = await (await follow(env, id, { user_verify_url: 'https://a.example/v' })).submit(ENTERED);

    expect(done.url).toBe(DONE_URL);
    expect(await auth(env.api, id)).toMatchObject({
      status: 'ACTIVE',
      authorization_details: {
        static_auth: {
          details: {
            domain: 'acme.freshdesk.example',
            username: 'ada',
            password: 'a password of no one',
          },
        },
      },
    });
    expect((await auth(env.api, id))['token_expires_at']).toBeUndefined();
    expect((await eventsOf(env.control, id)).slice(2)).toEqual([['status_updated', 'ACTIVE']]);
  });

  it('shows the form again with the errors and the entered values, but without the password', async () => {
    const env = await pages();
    const id = await createPending(env, 'freshdesk');
    const page = await follow(env, id);

    const again = await page.submit({ ...ENTERED, 'static_auth.username': ' ' });

    expect(again.status).toBe(400);
    expect(again.text).toContain('id="username-problem">Username is required.');
    expect(again.text).toContain('value="acme.freshdesk.example"');
    expect(again.text).not.toContain('a password of no one');
    expect(await statusOf(env.api, id)).toBe('PENDING_AUTH');
    await again.submit(ENTERED);
    expect(await statusOf(env.api, id)).toBe('ACTIVE');
  });

  it.each([
    ['exa', 'api_key', 'API_KEY'],
    ['apifymcp', 'token', 'BEARER_TOKEN'],
  ])('asks for the field of %s: %s', async (connector, name, authorization_type) => {
    const env = await pages({ post_user_verify_redirect_url: '' });
    const id = await createPending(env, connector);

    const done = await (await follow(env, id)).submit({ [`static_auth.${name}`]: 'k-1' });

    expect(done.text).toContain('is connected</h1>');
    expect(await auth(env.api, id)).toMatchObject({
      status: 'ACTIVE',
      authorization_type,
      authorization_details: { static_auth: { details: { [name]: 'k-1' } } },
    });
  });

  it('renders selects, text areas and hints as the provider defines them', async () => {
    const env = await pages({ post_user_verify_redirect_url: '' });
    const fields = [
      {
        field_name: 'region',
        label: 'Region',
        input_type: 'select',
        options: ['eu', { value: 'us', label: 'US' }],
      },
      { field_name: 'note', label: 'Note', input_type: 'textarea', hint: 'If you like', required: false },
    ];
    await env.control
      .patch('/state/providers/EXA')
      .send({ auth_patterns: [{ type: 'API_KEY', fields }] })
      .expect(200);
    const id = await createPending(env, 'exa');
    const page = await follow(env, id);

    const other = await page.submit({ 'static_auth.region': 'mars' });
    await other.submit({ 'static_auth.region': 'us', 'static_auth.note': '' });

    expect(page.text).toMatch(/<option value="us" ?>\s*US/);
    expect(page.text).toContain('id="note-hint">If you like');
    expect([other.status, other.text]).toEqual([400, expect.stringContaining('Choose one of eu, US.')]);
    expect(await auth(env.api, id)).toMatchObject({
      authorization_details: { static_auth: { details: { region: 'us' } } },
    });
  });

  it('asks for the default fields when the provider defines none', async () => {
    const env = await pages({ post_user_verify_redirect_url: '' });
    await env.control.patch('/state/providers/FRESHDESK').send({ auth_patterns: [] }).expect(200);

    const page = await follow(env, await createPending(env, 'freshdesk'));

    expect(page.text.match(/name="static_auth\.\w+"/g)).toEqual([
      'name="static_auth.username"',
      'name="static_auth.password"',
    ]);
  });

  it.each([['denied'], ['failed']])(
    'can be cancelled (%s) and then leaves the stored credentials unchanged',
    async (outcome) => {
      const env = await pages();
      const before = await auth(env.api, FRESHDESK);

      const done = await (await follow(env, FRESHDESK)).submit({ outcome });

      expect(done.text).toContain('<h1>Freshdesk is not connected</h1>');
      expect(await auth(env.api, FRESHDESK)).toEqual(before);
    },
  );

  it('keeps the entered values out of the journal', async () => {
    const env = await pages();
    const fields = [{ field_name: 'pat', label: 'Access' }];
    await env.control
      .patch('/state/providers/EXA')
      .send({ auth_patterns: [{ type: 'API_KEY', fields }] })
      .expect(200);

    await (
      await follow(env, await createPending(env, 'exa'))
    ).submit({ 'static_auth.pat': 'planted4secret' });

    const { text } = await env.control.get('/requests').expect(200);
    expect(text).toContain('AccountPage_Decide');
    expect(text).not.toContain('planted4secret');
    const tool = await env.api.get(`${ACCOUNTS}?identifier=lea@acme.example`).expect(200);
    expect(tool.text).not.toContain('planted4secret');
  });
});
