import { create } from '@bufbuild/protobuf';
import { describe, expect, it } from 'vitest';
import { authorizeUrl } from '../operations/sign-in-support.ts';
import { boot, type Agent, type Booted } from '../support/boot.ts';
import { Browser } from '../support/browser.ts';
import { ACME, ENTRA, NORDWIND, OKTA, TASK_SERVER } from '../support/fixture-ids.ts';
import { portalLink } from '../support/portal.ts';
import { openPort } from '../support/port.ts';
import { callRpc, grpcTo, METHODS } from './grpc/support.ts';

const BASE = 'http://localhost:8080/idp';
const DISCOVERY = '/.well-known/openid-configuration';

const started = () => boot({ baseUrl: BASE });

/** A proxy strips the path of the base URL, or leaves it. */
const DOORS: [title: string, path: string][] = [
  ['with the path', '/idp'],
  ['without the path, which a proxy has stripped', ''],
];

/** The addresses of a page, of a redirect and of cookies that lead past the path of the base URL. */
function strayIn({ text, headers }: { text: string; headers: Record<string, unknown> }): string[] {
  const attributes = /\s(?:href|action|src|formaction)="([^"]*)"/g;
  const linked = [...text.matchAll(attributes)].map(([, address = '']) => address);
  const location = headers['location'];
  const cookies = ([headers['set-cookie'] ?? []].flat() as string[]).map(
    (each) => /; Path=([^;]*)/.exec(each)?.[1] ?? '/',
  );
  return [...linked, ...(typeof location === 'string' ? [location] : []), ...cookies].filter(
    (each) =>
      (each.startsWith('/') && !each.startsWith('/idp/')) ||
      (each.startsWith('http://localhost:8080') && !each.startsWith(BASE)),
  );
}

/** Opens a page at the door, and tells the addresses in it and in its redirects. */
async function opened({ anonymous }: Booted, address: string, cookie = '') {
  const found: string[] = [];
  let path = address;
  let cookies = cookie;
  for (let hop = 0; hop < 5; hop += 1) {
    const answer = await anonymous.get(path).set({ accept: 'text/html', cookie: cookies }).redirects(0);
    found.push(...strayIn(answer));
    const written = ([answer.headers['set-cookie'] ?? []].flat() as string[]).map(
      (each) => each.split(';')[0],
    );
    cookies = [cookies, ...written].filter(Boolean).join('; ');
    const { location } = answer.headers;
    if (location === undefined || !/^\/|^http:\/\/localhost:8080\//.test(location))
      return { found, status: answer.status, cookies, text: answer.text };
    path = location.replace('http://localhost:8080', '');
  }
  throw new Error(`${address} redirects in circles`);
}

/** Addresses of pages that answer a GET. */
async function pages({ api, control }: Booted): Promise<string[]> {
  const { body: session } = await api.get('/api/v1/webhooks/portal-url').expect(200);
  const endpoint = await control.post('/webhooks/endpoints').send({ kind: 'inbox' }).expect(201);
  const { body: account } = await api
    .post('/api/v1/connected_accounts/magic_link')
    .send({ connector: 'notion', identifier: 'new@acme.example' });
  return [
    '/',
    authorizeUrl(),
    authorizeUrl({ prompt: 'create' }),
    authorizeUrl({ connection_id: OKTA }),
    authorizeUrl({ client_id: 'skc_404' }),
    '/ui/signed-in?code=cde_1',
    '/ui/signed-in?error=access_denied',
    `/ui/identity-provider/connections/${OKTA}`,
    `/ui/identity-provider/saml/${ENTRA}/sso`,
    `/sso/v1/oidc/${OKTA}/test`,
    '/oidc/logout',
    '/ui/profile/passkeys',
    '/ui/profile/authenticator',
    '/nowhere',
    '/ui/login/req_1',
    '/connect/success',
    await portalLink(api, NORDWIND).then((path) => path.replace(/^\/idp/, '')),
    new URL(session.url).pathname.replace(/^\/idp/, '') + new URL(session.url).search,
    `/ui/webhooks/endpoints/${endpoint.body.id}`,
    ...(account.link ? [String(account.link).replace(BASE, '')] : []),
    '/_control',
    '/_control/reference',
    '/_control/sign-in/default/callback?code=1',
    '/_control/v1/mail',
    '/_control/v1/coverage?format=html',
  ];
}

const texts = (value: unknown): string[] =>
  typeof value === 'string'
    ? [value]
    : typeof value === 'object' && value !== null
      ? Object.values(value).flatMap(texts)
      : [];

describe.each(DOORS)('a base URL with a path, called %s', (_, door) => {
  const at = (agent: Agent): Agent =>
    Object.fromEntries(
      (['get', 'post', 'put', 'patch', 'delete'] as const).map((verb) => [
        verb,
        (path: string) => agent[verb](door + path),
      ]),
    ) as Agent;

  it('has the path in every link, form, cookie and redirect of the pages', async () => {
    const booted = await started();
    let cookies = '';
    const seen: string[] = [];

    for (const page of await pages(booted)) {
      const visit = await opened(booted, door + page, cookies);
      expect({ page, stray: visit.found }).toEqual({ page, stray: [] });
      cookies = visit.cookies;
      seen.push(...[...visit.text.matchAll(/\s(?:href|action)="(\/[^"]*)"/g)].map(([, path = '']) => path));
    }

    expect(new Set(seen).size).toBeGreaterThan(30);
  });

  it('signs a user in by the forms of the pages, and out', async () => {
    const booted = await started();
    const browser = new Browser(booted);

    const chooser = await browser.open(door + authorizeUrl());
    expect(new URL(chooser.url).pathname).toMatch(/^\/idp\/ui\/login\//);
    const provider = await chooser.submit({ email: 'ada@acme.example' });
    const back = await provider.submit();
    const out = await browser.open(`${door}/oidc/logout`);

    expect(back.query('code')).toBeTruthy();
    expect(out.status).toBe(200);
    expect((await out.submit()).text).toContain('You are signed out');
  });

  it('has the path in discovery, metadata, links and addresses for other programs', async () => {
    const booted = await started();
    const api = at(booted.api);
    const control = at(booted.control);
    await control.post('/environments').send({ name: 'blue' });
    const asked = [
      DISCOVERY,
      `/.well-known/oauth-authorization-server/resources/${TASK_SERVER}`,
      `/resources/${TASK_SERVER}/.well-known/oauth-authorization-server`,
      `/api/v1/resources/${TASK_SERVER}`,
      '/api/v1/webhooks/portal-url',
      '/api/v1/environments',
      `/api/v1/organizations/${ACME}/connections/${ENTRA}`,
      '/api/v1/connections',
      '/api/v1/mcp/configs',
      `/api/v1/organizations/${ACME}/directories`,
      '/openapi.json',
    ];

    const found: string[] = [];
    for (const path of asked) {
      const { status, body } = await api.get(path);
      found.push(
        ...texts(
          status < 300
            ? { ...body, ...(path === '/openapi.json' && { paths: {}, components: {}, info: {} }) }
            : {},
        ),
      );
    }
    const own = found.filter((each) => each.startsWith('http://localhost:8080'));

    expect(own.filter((each) => !each.startsWith(BASE))).toEqual([]);
    expect(new Set(own).size).toBeGreaterThan(15);
  });

  it('mails links with the path', async () => {
    const booted = await started();
    await at(booted.api)
      .post(`/api/v1/organizations/${NORDWIND}/users?send_invitation_email=true`)
      .send({ email: 'new@nordwind.example' })
      .expect(201);

    const { body } = await booted.control.get('/mail?html=true').expect(200);

    expect(body.mails).toHaveLength(1);
    const addresses = [...String(body.mails[0].html).matchAll(/http:\/\/localhost:8080[^"<\s]*/g)].map(
      String,
    );
    expect([body.mails[0].link, ...addresses].filter((each) => !each.startsWith(BASE))).toEqual([]);
  });

  it('serves the dashboard with addresses relative to it', async () => {
    const booted = await started();
    const moved = await booted.anonymous.get(`${door}/_control`).expect(308);
    const index = await booted.anonymous.get(`${door}/_control/`).expect(200);

    expect(moved.headers['location']).toBe('/idp/_control/');
    expect(
      [...index.text.matchAll(/(?:href|src)="([^"]*)"/g)].filter(([, each]) => each!.startsWith('/')),
    ).toEqual([]);
  });
});

describe('a base URL with a path', () => {
  it('keeps paths that only begin like it', async () => {
    const booted = await started();

    await booted.anonymous.get('/idp-other/keys').expect(404);
    await booted.anonymous.get('/idp/keys').expect(200);
    await booted.anonymous.get('/idp').set({ accept: 'text/html' }).expect(200);
  });

  it('finds the metadata of an issuer below the root of its host (RFC 8414)', async () => {
    const { anonymous } = await started();
    const { body } = await anonymous
      .get(`/.well-known/oauth-authorization-server/idp/resources/${TASK_SERVER}`)
      .expect(200);

    expect(body.issuer).toBe(`${BASE}/resources/${TASK_SERVER}`);
  });

  it.each(DOORS)('serves RPCs over HTTP/2 %s', async (_, door) => {
    const { port } = await openPort({ baseUrl: BASE });
    const url = `http://localhost:${port}${door}`;
    const method = METHODS.get('OrganizationService_ListOrganization')!;

    expect(await callRpc(grpcTo(url), method, create(method.input), {})).toMatchObject({
      rawMessage: 'Token empty',
    });
  });
});
