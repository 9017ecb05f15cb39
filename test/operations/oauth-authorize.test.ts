import { describe, expect, it } from 'vitest';
import { boot, type Booted } from '../support/boot.ts';
import {
  CALLBACK,
  OWN,
  PKCE,
  PORTAL,
  SPA,
  SPA_CALLBACK,
  authorizeUrl,
  signedIn,
  tokensOf,
} from './oauth-support.ts';
import { ACME } from '../support/fixture-ids.ts';

type AuthorizeParameters = Record<string, string | undefined>;

/** Sends an authorization request and returns the redirect or the error of the page. */
async function outcome({ anonymous }: Booted, parameters: AuthorizeParameters): Promise<unknown> {
  const answer = await anonymous.get(authorizeUrl({ state: 's 1', ...parameters }));
  if (answer.status !== 302) return [answer.status, /role="alert">([^<]*)</.exec(answer.text)?.[1]];
  const { origin, pathname, searchParams } = new URL(answer.headers['location']!);
  return [
    `${origin}${pathname}`,
    ...['error', 'error_description', 'state'].map((name) => searchParams.get(name)),
  ];
}

async function outcomes(booted: Booted, cases: Record<string, [AuthorizeParameters, ...unknown[]]>) {
  const found: Record<string, unknown> = {};
  for (const [title, [parameters]] of Object.entries(cases)) found[title] = await outcome(booted, parameters);
  return found;
}

const expected = (cases: Record<string, [AuthorizeParameters, ...unknown[]]>, ...behind: unknown[]) =>
  Object.fromEntries(Object.entries(cases).map(([title, [, ...rest]]) => [title, [...rest, ...behind]]));

describe('OAuth_Authorize', () => {
  it('redirects to the application with the error and the state', async () => {
    const booted = await boot();
    const { access_token } = await tokensOf(booted);
    const of = (error: string, description: string) => [CALLBACK, error, description] as const;
    const cases: Record<string, [AuthorizeParameters, ...unknown[]]> = {
      'no response_type': [{ response_type: undefined }, ...of('invalid_request', 'response_type missing')],
      'another response_type': [
        { response_type: 'token' },
        ...of('unauthorized_client', 'response_type is not code'),
      ],
      'another response_mode': [
        { response_mode: 'fragment' },
        ...of('invalid_request', 'response_mode is not query'),
      ],
      'no scope': [{ scope: ' ' }, ...of('invalid_request', 'scope missing')],
      'a method without challenge': [
        { code_challenge_method: 'S256' },
        ...of('invalid_request', 'code_challenge_method without code_challenge'),
      ],
      'a challenge that is plain': [
        { ...PKCE, code_challenge_method: 'plain' },
        ...of('invalid_request', 'code_challenge_method is not S256'),
      ],
      'a challenge without method, which means plain': [
        { code_challenge: PKCE.code_challenge },
        ...of('invalid_request', 'code_challenge_method is not S256'),
      ],
      'a challenge that is not a hash': [
        { ...PKCE, code_challenge: 'short' },
        ...of('invalid_request', 'code_challenge is not the base64url of a SHA-256 hash'),
      ],
      'an unknown prompt': [
        { prompt: 'login register' },
        ...of('invalid_request', 'prompt is not one of none, login, create, select_account, consent'),
      ],
      'a prompt of none and more': [
        { prompt: 'none login' },
        ...of('invalid_request', 'prompt none cannot be combined with other values'),
      ],
      'an age that is no number': [
        { max_age: '-1' },
        ...of('invalid_request', 'max_age is not a number of seconds'),
      ],
      'a hint that is not an id_token': [
        { id_token_hint: access_token },
        ...of('login_required', 'id_token_hint invalid'),
      ],
      'a resource with a fragment': [
        { resource: 'https://api.example.com/#part' },
        ...of('invalid_target', 'resource must be an absolute address without a fragment'),
      ],
      'a request object': [
        { request: 'e30.e30.' },
        ...of('request_not_supported', 'request is not supported'),
      ],
      'an address of a request object': [
        { request_uri: 'https://app.example.com/r' },
        ...of('request_uri_not_supported', 'request_uri is not supported'),
      ],
    };

    expect(await outcomes(booted, cases)).toEqual(expected(cases, 's 1'));
  });

  it('shows errors on a page when it must not redirect', async () => {
    const booted = await boot();
    const long = `${CALLBACK}/${'x'.repeat(256)}`;
    const unregistered = (uri: string) => `The redirect_uri is missing in the client configuration: ${uri}.`;
    const cases: Record<string, [AuthorizeParameters, ...unknown[]]> = {
      'no client': [{ client_id: undefined }, 400, 'client_id is missing.'],
      'an unknown client': [{ client_id: 'skc_1' }, 400, 'Unable to retrieve client by id.'],
      'a client of an organization': [
        { client_id: 'm2morg_10000000000000001' },
        400,
        'Unable to retrieve client by id.',
      ],
      'no redirect_uri': [{ redirect_uri: undefined }, 400, 'redirect_uri is missing.'],
      'an unregistered site': [
        { redirect_uri: 'https://evil.example/callback' },
        400,
        unregistered('https://evil.example/callback'),
      ],
      'a host that begins with localhost': [
        { redirect_uri: 'http://localhost.evil.example/' },
        400,
        unregistered('http://localhost.evil.example/'),
      ],
      'a user name before another site': [
        { redirect_uri: 'http://localhost:3000@evil.example/' },
        400,
        unregistered('http://localhost:3000@evil.example/'),
      ],
      'a script': [{ redirect_uri: 'javascript:alert(1)' }, 400, 'The redirect_uri runs a script.'],
      'an additional slash': [
        { client_id: SPA.client_id, redirect_uri: `${SPA_CALLBACK}/` },
        400,
        unregistered(`${SPA_CALLBACK}/`),
      ],
      'a query': [{ redirect_uri: `${CALLBACK}?a=1` }, 400, 'The redirect_uri has a query or a fragment.'],
      'a fragment': [{ redirect_uri: `${CALLBACK}#a` }, 400, 'The redirect_uri has a query or a fragment.'],
      'a redirect_uri that is too long': [
        { redirect_uri: long },
        400,
        'The redirect_uri is longer than 256 characters.',
      ],
    };

    expect(await outcomes(booted, cases)).toEqual(expected(cases));
  });

  it('refuses a parameter that is given twice', async () => {
    const { anonymous } = await boot();

    const answer = await anonymous.get(`${authorizeUrl({ state: 'a' })}&state=b`).expect(400);

    expect(answer.headers['content-type']).toBe('text/html; charset=utf-8');
    expect(answer.text).toContain('state');
  });

  it('requires PKCE for public clients and for clients with enforce_pkce', async () => {
    const booted = await boot();
    await booted.control.patch(`/state/clients/${OWN.client_id}`).send({ enforce_pkce: true }).expect(200);
    const spa = { client_id: SPA.client_id, redirect_uri: SPA_CALLBACK };
    const cases: Record<string, [AuthorizeParameters, ...unknown[]]> = {
      'a single-page application': [spa, SPA_CALLBACK, 'invalid_request', 'PKCE required'],
      'a client with enforce_pkce': [{}, CALLBACK, 'invalid_request', 'PKCE required'],
    };

    expect(await outcomes(booted, cases)).toEqual(expected(cases, 's 1'));
    expect((await signedIn(booted, { ...PKCE })).query('code')).toMatch(/^\w{40}$/);
  });

  it('refuses a client without the grant type authorization_code', async () => {
    const booted = await boot();
    const grant_types = ['client_credentials'];
    await booted.control.patch(`/state/clients/${OWN.client_id}`).send({ grant_types }).expect(200);

    expect(await outcome(booted, {})).toEqual([
      CALLBACK,
      'unauthorized_client',
      'client missing grant type authorization_code',
      's 1',
    ]);
  });

  it('drops scopes that the client does not list and refuses when none is left', async () => {
    const booted = await boot();
    const scopes = ['invoices:read'];
    await booted.control.patch(`/state/clients/${OWN.client_id}`).send({ scopes }).expect(200);

    const { scope } = (await tokensOf(booted, {
      scope: 'openid invoices:read invoices:write',
    })) as unknown as {
      scope: string;
    };

    expect(scope).toBe('openid invoices:read');
    expect(await outcome(booted, { scope: 'admin' })).toEqual([
      CALLBACK,
      'invalid_scope',
      'none of the scopes is known',
      's 1',
    ]);
  });

  it('returns state unchanged, and no state when none was given', async () => {
    const booted = await boot();
    const state = 'a b&c=d/ü"<>';

    expect((await signedIn(booted, { state })).query('state')).toBe(state);
    expect((await signedIn(booted, { state: '' })).query('state')).toBe('');
    expect((await signedIn(booted)).query('state')).toBeNull();
  });

  it('issues a token with the requested resource as its audience', async () => {
    const booted = await boot();
    const resource = 'https://mcp.example.com/notes';

    const { access_token } = await tokensOf(booted, { resource });

    const claims = JSON.parse(Buffer.from(access_token.split('.')[1]!, 'base64url').toString());
    expect(claims.aud).toEqual([resource]);
  });

  it('accepts a form post', async () => {
    const { anonymous } = await boot();
    const send = (parameters: AuthorizeParameters) =>
      anonymous.post('/oauth/authorize').type('form').send(authorizeUrl(parameters).split('?')[1]!);

    const page = await send({});
    const refused = await send({ prompt: 'none login', state: 's1' });
    const twice = await anonymous.post('/oauth/authorize').type('form').send('client_id=a&client_id=b');

    expect([page.status, refused.status, twice.status]).toEqual([303, 303, 400]);
    expect(page.headers['location']).toMatch(/\/ui\/login\/req_\d+$/);
    expect(refused.headers['location']).toContain(`${CALLBACK}?error=invalid_request`);
  });
});

describe('a registered redirect_uri', () => {
  const registered = [
    'https://*.preview.example.com/callback',
    'https://pr-*.example.com/callback',
    'https://{{slug}}.example.org/callback',
    'https://{{org_slug}}.older.example/callback',
    'https://app.example.org/{{external_id}}/{{plan}}/callback',
    'com.example.phone:/callback',
    'https://*.com/callback',
    'https://a.*.example.net/callback',
  ];

  it('may contain a wildcard in its first label and placeholders of the organization', async () => {
    const booted = await boot();
    const client = `/state/clients/${PORTAL.client_id}`;
    await booted.control.patch(client).send({ post_login_uris: registered }).expect(200);
    const isTaken = async (redirect_uri: string, organization_id?: string) => {
      const answer = await booted.anonymous.get(
        authorizeUrl({ client_id: PORTAL.client_id, redirect_uri, organization_id }),
      );
      return answer.status === 302;
    };
    const taken: [uri: string, organization?: string][] = [
      ['https://one.preview.example.com/callback'],
      ['https://pr-17.example.com/callback'],
      ['https://acme.example.org/callback', ACME],
      ['https://acme.older.example/callback', ACME],
      ['https://app.example.org/crm-acme/enterprise/callback', ACME],
      ['com.example.phone:/callback'],
    ];
    const refused: [uri: string, organization?: string][] = [
      ['https://one.two.preview.example.com/callback'],
      ['https://preview.example.com/callback'],
      ['https://evil.example/.preview.example.com/callback'],
      ['https://evil.example%2f.preview.example.com/callback'],
      ['http://one.preview.example.com/callback'],
      ['https://one.preview.example.com/callback/more'],
      ['https://pr-.example.com/callback'],
      ['https://acme.example.org/callback'],
      ['https://acme.example.org/callback', 'org_10000000000000002'],
      ['https://evil.example.org/callback', ACME],
      ['https://evil.com/callback'],
      ['https://a.b.example.net/callback'],
      ['https://*.preview.example.com/callback'],
    ];

    const answers = [];
    for (const [uri, organization] of [...taken, ...refused]) answers.push(await isTaken(uri, organization));

    expect(answers).toEqual([...taken.map(() => true), ...refused.map(() => false)]);
  });
});

describe('cross-origin requests of browsers', () => {
  const origin = 'https://dashboard.example.com';

  it.each([
    '/oauth/token',
    '/userinfo',
    '/revoke',
    '/oauth/introspect',
    '/.well-known/oauth-authorization-server',
  ])('are allowed at %s with a token', async (path) => {
    const { anonymous, understudy } = await boot();
    const { default: supertest } = await import('supertest');

    const preflight = await supertest(understudy.app)
      .options(path)
      .set({
        origin,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization',
      })
      .expect(204);
    const answer = await anonymous.post(path).set({ origin });

    expect(preflight.headers).toMatchObject({
      'access-control-allow-origin': origin,
      'access-control-allow-headers': 'authorization',
      'access-control-allow-methods': 'POST',
    });
    expect(answer.headers['access-control-allow-origin']).toBe(origin);
  });
});
