import { describe, expect, it } from 'vitest';
import { boot, type Booted } from '../../support/boot.ts';
import { Browser, type Visit } from '../../support/browser.ts';
import { portalLink } from '../../support/portal.ts';
import { webhookPortalLink } from '../../support/webhook-portal.ts';
import { OKTA } from '../../support/fixture-ids.ts';

const ACCOUNTS = '/api/v1/connected_accounts';

interface Connection {
  key_id: string;
  type: string;
}

async function appConnections({ api }: Booted): Promise<Connection[]> {
  const { body } = await api.get('/api/v1/connections/app?page_size=30').expect(200);
  return body.connections;
}

/** Grants access at the third party or enters static credentials. */
function allow(page: Visit): Promise<Visit> {
  const names = [...page.text.matchAll(/name="(static_auth\.[^"]*)"/g)].map(([, name]) => name!);
  return page.submit({
    ...Object.fromEntries(names.map((name) => [name, 'some-value'])),
    outcome: 'granted',
  });
}

async function connect(booted: Booted, wanted: object): Promise<Visit> {
  const { body } = await booted.api.post(`${ACCOUNTS}/magic_link`).send(wanted).expect(200);
  return allow(await new Browser(booted).open(new URL(body.link).pathname));
}

const mailedLink = async ({ control }: Booted, to: string): Promise<string> => {
  const { body } = await control.get(`/mail?to=${to}`).expect(200);
  const { pathname, search } = new URL(body.mails.at(-1).link);
  return `${pathname}${search}`;
};

describe('the links of the default fixture without any configuration', () => {
  it('connect an account of each connector', async () => {
    const booted = await boot();
    const connections = await appConnections(booted);

    for (const { key_id: connector } of connections) {
      const done = await connect(booted, { connector, identifier: 'ada' });

      expect([connector, done.text]).toEqual([connector, expect.stringMatching(/<h1>.* is connected<\/h1>/)]);
      const path = `${ACCOUNTS}/auth?connector=${connector}&identifier=ada`;
      const { body } = await booted.api.get(path).expect(200);
      expect(body.connected_account.status).toBe('ACTIVE');
    }
    expect(connections.map(({ key_id }) => key_id)).toEqual(expect.arrayContaining(['gmail', 'GMAIL']));
  });

  it('connect an account with a control call', async () => {
    const { control } = await boot();

    const { body } = await control.post('/connected_accounts/ca_10000000000000307/authorize').expect(200);

    expect(body.connected_account.status).toBe('ACTIVE');
  });

  it('redirect to the application named by the link, which then verifies the user', async () => {
    const booted = await boot();

    const back = await connect(booted, {
      connector: 'gmail',
      identifier: 'ada',
      user_verify_url: 'http://localhost:3000/verify',
    });
    const auth_request_id = back.query('auth_request_id');
    await booted.api.post(`${ACCOUNTS}/user/verify`).send({ auth_request_id, identifier: 'ada' }).expect(200);

    expect(back.url).toMatch(/^http:\/\/localhost:3000\/verify\?/);
  });

  it('open both portals', async () => {
    const booted = await boot();

    const portal = await new Browser(booted).open(await portalLink(booted.api));
    const webhooks = await new Browser(booted).open(await webhookPortalLink(booted.api));

    expect([portal.status, webhooks.status]).toEqual([200, 200]);
  });

  it('open the admin portal with the unused link of the fixture', async () => {
    const booted = await boot();
    const { body } = await booted.control.get('/state/portal_links/lnk_10000000000000003').expect(200);

    const page = await new Browser(booted).open(`/magicLink/${body.token}_p`);

    expect(page.status).toBe(200);
  });

  it('accept a mailed invitation', async () => {
    const booted = await boot();
    const invited = { email: 'sam@acme.example', membership: { roles: [{ name: 'member' }] } };
    await booted.api
      .post('/api/v1/organizations/org_10000000000000001/users?send_invitation_email=true')
      .send(invited)
      .expect(201);

    const page = await new Browser(booted).open(await mailedLink(booted, invited.email));
    const done = await page.submit();

    expect([page.status, done.status]).toEqual([200, 200]);
    const { body } = await booted.api.get('/api/v1/users:search?query=sam@acme').expect(200);
    expect(body.users).toMatchObject([
      { email: invited.email, memberships: [{ membership_status: 'ACTIVE' }] },
    ]);
  });

  it.each(['usr_10000000000000101', 'usr_10000000000000113'])(
    'sign in %s from the front page',
    async (user_id) => {
      const booted = await boot();
      const front = await new Browser(booted).open('/');
      const [, address = ''] = /href="([^"]*\/oauth\/authorize[^"]*)"/.exec(front.text) ?? [];

      const page = await new Browser(booted).open(address.replaceAll('&amp;', '&'));
      const { body } = await booted.control.get(`/state/users/${user_id}`).expect(200);
      const done = await page.submit({ email: body.email });

      expect(done.text).toMatch(/Signed in|identity provider|Okta/);
    },
  );

  it('sign in a user from the page of the identity provider', async () => {
    const booted = await boot();

    const page = await new Browser(booted).open(`/ui/identity-provider/connections/${OKTA}`);
    const done = await page.submit({ email: 'ravi@acme.example' });

    expect(page.status).toBe(200);
    expect(done.url).toMatch(/^https:\/\/app\.example\.com\/callback\?idp_initiated_login=/);
  });
});

describe('the demo fixture', () => {
  it('signs in a user who opens the mailed link', async () => {
    const booted = await boot({ fixture: 'demo' });
    const browser = new Browser(booted);
    const callback = 'http://localhost:3000/callback';
    const page = await browser.open(
      `/oauth/authorize?client_id=skc_1000000000000000001&redirect_uri=${callback}&response_type=code&scope=openid`,
    );

    await page.submit({ email: 'yuki@lumen.example' });
    const back = await browser.open(await mailedLink(booted, 'yuki@lumen.example'));

    expect(back.url).toMatch(/^http:\/\/localhost:3000\/callback\?code=/);
  });

  it('mails a link that an application can verify', async () => {
    const { api, control } = await boot({ fixture: 'demo' });
    const wanted = { email: 'ada@acme.example', magiclink_auth_uri: 'http://localhost:3000/passwordless' };

    const { body: sent } = await api.post('/api/v1/passwordless/email/send').send(wanted).expect(200);
    const { body } = await control.get('/mail?to=ada@acme.example').expect(200);
    const [{ link, code }] = body.mails;
    const link_token = new URL(link).searchParams.get('link_token');
    await api
      .post('/api/v1/passwordless/email/verify')
      .send({ auth_request_id: sent.auth_request_id, link_token })
      .expect(200);

    expect([sent.passwordless_type, code]).toEqual(['LINK_OTP', expect.stringMatching(/^\d{6}$/)]);
  });
});
