import { describe, expect, it } from 'vitest';
import { boot } from '../../../../test/support/boot.ts';
import { csrfOf, eventsOf, openPortal } from '../../../../test/support/portal.ts';
import { ACME, NORDWIND } from '../../../../test/support/fixture-ids.ts';

const [OKTA_OF_ACME, GOOGLE_OF_NORDWIND] = ['dir_10000000000000601', 'dir_10000000000000603'];
const DIRECTORIES = `/api/v1/organizations/${NORDWIND}/directories`;

describe('the directories in the portal', () => {
  it('can be created, disabled and enabled', async () => {
    const booted = await boot();
    const { overview } = await openPortal(booted);

    const created = await overview.submit({ provider: 'OKTA' }, '/portal/directories"');
    const off = await created.submit({}, '/switch"');
    const on = await off.submit({}, '/switch"');

    const directory = (await booted.api.get(DIRECTORIES)).body.directories.at(-1);
    expect(directory).toMatchObject({ directory_type: 'SCIM', directory_provider: 'OKTA', enabled: true });
    expect(created.text).toContain(`/directory/${directory.id}/scim/v2"`);
    expect(created.text).toContain(
      'Make a secret, and give the secret and the endpoint to your identity provider',
    );
    const switchEvent = (verb: string, enabled: boolean) => ({
      event_type: `ORGANIZATION_DIRECTORY_${verb.toUpperCase()}`,
      object: 'directory',
      organization_id: NORDWIND,
      message: `SCIM provisioning ${verb} successfully`,
      data: { directory_type: 'SCIM', id: directory.id, provider: 'OKTA', enabled },
    });
    expect(eventsOf(off)).toEqual([switchEvent('disabled', false)]);
    expect(eventsOf(on)).toEqual([switchEvent('enabled', true)]);
  });

  it('show a new secret only once', async () => {
    const booted = await boot();
    const { browser } = await openPortal(booted);
    const page = await browser.open(`/portal/directories/${GOOGLE_OF_NORDWIND}`);

    const shown = await page.submit({}, '/secrets"');
    const again = await browser.open(`/portal/directories/${GOOGLE_OF_NORDWIND}`);

    const [, secret] = /name="directory_secret"[^>]*value="([^"]*)"/.exec(shown.text)!;
    expect(secret).toMatch(/^test_\w{40}$/);
    const [kept] = (await booted.api.get(`${DIRECTORIES}/${GOOGLE_OF_NORDWIND}`)).body.directory.secrets;
    expect(kept).toMatchObject({ secret_suffix: secret!.slice(-4), status: 'ACTIVE' });
    expect(again.text).not.toContain(secret);
    expect(again.text).toContain(`…${kept.secret_suffix}`);
    expect((await booted.control.get('/requests')).text).not.toContain(secret);
  });

  it('replace the secrets: the earlier ones end after a day', async () => {
    const booted = await boot({ now: '2026-03-02T09:00:00Z' });
    const { browser } = await openPortal(booted);
    const page = await browser.open(`/portal/directories/${GOOGLE_OF_NORDWIND}`);
    const first = await page.submit({}, '/secrets"');

    const shown = await first.submit({}, '/secrets/regenerate"');

    const { secrets } = (await booted.api.get(`${DIRECTORIES}/${GOOGLE_OF_NORDWIND}`)).body.directory;
    const [, secret] = /name="directory_secret"[^>]*value="([^"]*)"/.exec(shown.text)!;
    expect(page.text).not.toContain('/secrets/regenerate"');
    expect(secrets).toMatchObject([
      { status: 'ACTIVE', expire_time: '2026-03-03T09:00:00.000Z' },
      { status: 'ACTIVE', secret_suffix: secret!.slice(-4) },
    ]);
  });

  it('sync at once, unless they are switched off meanwhile', async () => {
    const booted = await boot({ now: '2026-03-02T09:00:00Z' });
    const { browser } = await openPortal(booted);
    const page = await browser.open(`/portal/directories/${GOOGLE_OF_NORDWIND}`);

    const synced = await page.submit({}, '/sync"');
    const off = await synced.submit({}, '/switch"');
    const { body: before } = await booted.control.get(`/state/directories/${GOOGLE_OF_NORDWIND}`);
    await booted.control.post('/clock/advance').send({ by: '1h' }).expect(200);
    const late = await page.submit({}, '/sync"');

    expect(synced.text).toContain('What the provider has now is here.');
    expect(before).toMatchObject({ status: 'COMPLETED', last_synced_at: '2026-03-02T09:00:00.000Z' });
    expect(off.text).not.toContain('/sync"');
    expect(late.status).toBe(200);
    const { body: after } = await booted.control.get(`/state/directories/${GOOGLE_OF_NORDWIND}`);
    expect(after.last_synced_at).toBe(before.last_synced_at);
  });

  it('list users and groups', async () => {
    const booted = await boot();
    await booted.api
      .patch(`/api/v1/organizations/${ACME}/settings`)
      .send({ features: [{ name: 'dir_sync', enabled: true }] })
      .expect(200);
    const { browser } = await openPortal(booted, ACME);

    const { text } = await browser.open(`/portal/directories/${OKTA_OF_ACME}`);

    for (const each of ['ravi@acme.example', 'Ravi Menon', 'Engineering, Finance', 'tom@acme.example'])
      expect(text).toContain(`">${each}</td>`);
    // On narrow screens `data-head` labels each cell.
    expect(text).toMatch(/<td data-head="Name">Engineering<\/td>\s*<td data-head="Users">2<\/td>/);
  });

  it('are only those of the organization', async () => {
    const booted = await boot();
    const { browser, overview } = await openPortal(booted);
    const form = { csrf_token: csrfOf(overview) };

    expect(overview.text).not.toContain(OKTA_OF_ACME);
    const answers = [
      await browser.open(`/portal/directories/${OKTA_OF_ACME}`),
      await browser.send(`/portal/directories/${OKTA_OF_ACME}/switch`, { ...form, enabled: 'false' }),
      await browser.send(`/portal/directories/${OKTA_OF_ACME}/secrets`, form),
    ];
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404]);
  });
});
