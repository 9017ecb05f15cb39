import { describe, expect, it } from 'vitest';
import { boot } from '../support/boot.ts';
import { ACME, csrfOf, eventsOf, NORDWIND, openPortal } from '../support/portal.ts';

const [OKTA_OF_ACME, GOOGLE_OF_NORDWIND] = ['dir_10000000000000601', 'dir_10000000000000603'];
const DIRECTORIES = `/api/v1/organizations/${NORDWIND}/directories`;

describe('the directories of the portal', () => {
  it('are made, switched off and on', async () => {
    const booted = await boot();
    const { overview } = await openPortal(booted);

    const made = await overview.submit({ provider: 'OKTA' }, '/portal/directories"');
    const off = await made.submit({}, '/switch"');
    const on = await off.submit({}, '/switch"');

    const directory = (await booted.api.get(DIRECTORIES)).body.directories.at(-1);
    expect(directory).toMatchObject({ directory_type: 'SCIM', directory_provider: 'OKTA', enabled: true });
    expect(made.text).toContain(`/directory/${directory.id}/scim/v2"`);
    expect(made.text).toContain('Make a secret, and give it to your identity provider');
    const told = (verb: string, enabled: boolean) => ({
      event_type: `ORGANIZATION_DIRECTORY_${verb.toUpperCase()}`,
      object: 'directory',
      organization_id: NORDWIND,
      message: `SCIM provisioning ${verb} successfully`,
      data: { directory_type: 'SCIM', id: directory.id, provider: 'OKTA', enabled },
    });
    expect(eventsOf(off)).toEqual([told('disabled', false)]);
    expect(eventsOf(on)).toEqual([told('enabled', true)]);
  });

  it('show a secret once, and nowhere else', async () => {
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
    // On a phone each cell stands alone: it says what it is of.
    expect(text).toMatch(/<td data-head="Name">Engineering<\/td>\s*<td data-head="Users">2<\/td>/);
  });

  it('are those of the organization', async () => {
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
