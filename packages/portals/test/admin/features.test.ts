import { describe, expect, it } from 'vitest';
import { boot, type Agent } from '../../../../test/support/boot.ts';
import { csrfOf, openPortal } from '../../../../test/support/portal.ts';
import { NORDWIND } from '../../../../test/support/fixture-ids.ts';

const [SSO, DIRECTORIES] = ['<h2>Single sign-on</h2>', '<h2>Directory sync</h2>'];

const switches = (api: Agent, features: Record<string, boolean>) =>
  api
    .patch(`/api/v1/organizations/${NORDWIND}/settings`)
    .send({ features: Object.entries(features).map(([name, enabled]) => ({ name, enabled })) })
    .expect(200);

describe('the sections of the portal', () => {
  it.each([
    [['sso'], {}, [true, false]],
    [['dir_sync'], {}, [false, true]],
    [['sso', 'dir_sync'], { sso: false }, [false, true]],
    [['sso', 'dir_sync'], { directory_sync: false }, [true, false]],
    [[], {}, [false, false]],
    [[], { sso: true }, [true, false]],
    [[], { sso: false, dir_sync: true }, [false, true]],
  ])(
    "follow a link with the features %j and the organization's settings %j",
    async (features, set, [sso, directories]) => {
      const booted = await boot();
      await switches(booted.api, set as Record<string, boolean>);

      const { overview } = await openPortal(booted, NORDWIND, features);

      expect([overview.text.includes(SSO), overview.text.includes(DIRECTORIES)]).toEqual([sso, directories]);
      expect(overview.text.includes('Nothing is open to be set up here')).toBe(!sso && !directories);
    },
  );

  it.each([
    [[], {}],
    [['sso'], { sso: false }],
    [['dir_sync'], { directory_sync: false }],
  ])('are opened by the call that the page names, for the link %j and %j', async (features, set) => {
    const booted = await boot();
    await switches(booted.api, set as Record<string, boolean>);
    const { browser, overview } = await openPortal(booted, NORDWIND, features);
    expect(overview.text).toContain('Nothing is open to be set up here');
    const [call = '', body = ''] = [...overview.text.matchAll(/<code>(.*?)<\/code>/g)].map(
      ([, code]) => code!,
    );
    expect(call).toMatch(/^PATCH /);

    await booted.api
      .patch(call.slice('PATCH '.length))
      .send(JSON.parse(body.replaceAll('&quot;', '"')))
      .expect(200);

    const { text } = await browser.open('/portal');
    expect(text).not.toContain('Nothing is open');
  });

  it('cannot be used while their features are disabled', async () => {
    const booted = await boot();
    const { browser, overview } = await openPortal(booted, NORDWIND, ['sso', 'dir_sync']);
    await switches(booted.api, { sso: false, dir_sync: false });
    const { body: before } = await booted.control.get('/state').expect(200);
    const form = { csrf_token: csrfOf(overview) };

    const answers = [
      await browser.open('/portal/directories/dir_10000000000000603'),
      await browser.send('/portal/connections', { ...form, provider: 'OKTA', type: 'OIDC' }),
      await browser.send('/portal/domains', { ...form, domain: 'shop.example' }),
      await browser.send('/portal/domains/dom_10000000000000274/remove', form),
      await browser.send('/portal/directories', { ...form, provider: 'OKTA' }),
    ];

    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404]);
    expect((await booted.control.get('/state').expect(200)).body).toEqual(before);
  });
});
