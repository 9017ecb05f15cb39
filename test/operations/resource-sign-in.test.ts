import { describe, expect, it } from 'vitest';
import { tokensOf, verified } from './oauth-support.ts';
import { boot, bootOnce, type Booted } from '../support/boot.ts';
import { Browser } from '../support/browser.ts';
import {
  aResource,
  ADA,
  askedForConsent,
  askToken,
  authorizeUrl,
  claimsOf,
  codeFor,
  exchange,
  registered,
  REPORTING,
} from '../support/resources.ts';
import { ACME, OKTA, TASK_SERVER } from '../support/fixture-ids.ts';

const { fresh } = bootOnce();
const NEW = { redirect_uri: 'https://agent.example.com/callback' };

/** A registered client with the tokens of a sign-in, at a fresh environment. */
async function signedIn(scope?: string) {
  const booted = await fresh();
  const resource = `${booted.own.name}.${TASK_SERVER}`;
  const { client_id } = await registered(booted, resource);
  const code = await codeFor(booted, resource, { client_id, scope });
  const { body } = await askToken(booted.anonymous, resource, exchange(client_id, code)).expect(200);
  return { booted, resource, client_id, code, tokens: body as Record<string, string> };
}

/** The metadata of the resource, read at the address that the browser uses. */
async function issuerOf({ anonymous }: Booted, resource: string) {
  const path = `/resources/${resource}/.well-known/oauth-authorization-server`;
  const { body } = await anonymous.get(path).set('host', 'localhost:8080').expect(200);
  return body as { issuer: string };
}

const refreshed = (client_id: string, refresh_token: string, more: object = {}) => ({
  grant_type: 'refresh_token',
  client_id,
  refresh_token,
  ...more,
});

describe('A sign-in for a protected resource', () => {
  it('gives a token whose audience is the resource', async () => {
    const { booted, client_id, tokens } = await signedIn('todo:read');

    const claims = await verified(booted, tokens['access_token']!, new Date().toISOString());
    expect(claims).toMatchObject({
      iss: expect.not.stringContaining('/resources/'),
      sub: ADA.id,
      aud: ['http://localhost:3001/mcp', TASK_SERVER],
      resid: TASK_SERVER,
      client_id,
      scope: 'todo:read',
      scopes: ['todo:read'],
      sid: expect.stringMatching(/^ses_/),
      roles: expect.any(Array),
    });
    expect(tokens).toMatchObject({ token_type: 'Bearer', expires_in: 3599, scope: 'todo:read' });
  });

  it('names its issuer to the client with the code, and with an error (RFC 9207)', async () => {
    const booted = await fresh();
    const resource = `${booted.own.name}.${TASK_SERVER}`;
    const { client_id } = await registered(booted, resource);
    const issuer = await issuerOf(booted, resource);

    const asked = await askedForConsent(booted, resource, { client_id });
    const allowed = await asked.submit({ decision: 'allow' });
    const again = await askedForConsent(booted, resource, { client_id, scope: 'openid' });
    const denied = again.status === 200 ? await again.submit({ decision: 'deny' }) : again;
    const refused = await new Browser(booted).open(
      authorizeUrl(resource, { client_id, response_type: 'token' }),
    );

    expect(issuer).toMatchObject({ authorization_response_iss_parameter_supported: true });
    expect([allowed, denied, refused].map((visit) => visit.query('iss'))).toEqual(
      Array(3).fill(issuer.issuer),
    );
    expect(refused.query('error')).toBe('unauthorized_client');
  });

  it('gives tokens with the issuer of the resource if the settings say so', async () => {
    const booted = await fresh();
    const { control, anonymous } = booted;
    const resource = `${booted.own.name}.${TASK_SERVER}`;
    await control.patch('/state/settings/settings').send({ resource_token_issuer: 'resource' }).expect(200);
    const { issuer } = await issuerOf(booted, resource);
    const { client_id } = await registered(booted, resource);
    const code = await codeFor(booted, resource, { client_id, scope: 'openid todo:read' });

    const { body } = await askToken(anonymous, resource, exchange(client_id, code)).expect(200);
    const own = { grant_type: 'client_credentials', ...REPORTING };
    const machine = await askToken(anonymous, resource, own).expect(200);
    const asked = (token: string) =>
      anonymous
        .post('/oauth/introspect')
        .type('form')
        .send({ ...REPORTING, token });
    const live = await asked(body.access_token).set('host', 'localhost:8080').expect(200);

    const named = [body.access_token, body.id_token, machine.body.access_token].map(
      (token) => new URL(String(claimsOf(token)['iss'])).pathname,
    );
    expect([...named, new URL(live.body.iss).pathname]).toEqual(Array(4).fill(new URL(issuer).pathname));
  });

  it('asks for all scopes of the resource if the client names none', async () => {
    const { tokens } = await signedIn();

    expect(tokens['scope']).toBe('todo:read todo:write');
  });

  it('can be refreshed until the refresh token ends', async () => {
    const { booted, resource, client_id, tokens } = await signedIn();
    const { anonymous, api } = booted;
    await api
      .patch(`/api/v1/resources/${TASK_SERVER}`)
      .send({ refresh_token_expiry: 60, access_token_expiry: 30 })
      .expect(200);

    const first = await askToken(anonymous, resource, refreshed(client_id, tokens['refresh_token']!)).expect(
      200,
    );
    await booted.control.post('/clock/advance').send({ by: '61s' }).expect(200);
    const late = await askToken(anonymous, resource, refreshed(client_id, first.body.refresh_token)).expect(
      400,
    );

    expect(first.body.expires_in).toBe(29);
    expect(late.body).toMatchObject({ error: 'invalid_grant' });
  });

  it('gives two refreshes at the same moment tokens in the grace period, and ends them all without', async () => {
    const { booted, resource, client_id, tokens } = await signedIn();
    const { anonymous, control } = booted;
    const use = (token: string) => askToken(anonymous, resource, refreshed(client_id, token));

    const within = await Promise.all([use(tokens['refresh_token']!), use(tokens['refresh_token']!)]);
    await control.post('/clock/advance').send({ by: '10s' }).expect(200);
    const late = await use(tokens['refresh_token']!);
    const successors = await Promise.all(within.map(({ body }) => use(body.refresh_token)));

    expect(within.map(({ status }) => status)).toEqual([200, 200]);
    for (const { status, body } of [late, ...successors])
      expect([status, body.error]).toEqual([400, 'invalid_grant']);
  });

  it('is good for the resource only, and for the profile of the user', async () => {
    const { booted, tokens } = await signedIn('openid email todo:read');
    const authorization = { authorization: `Bearer ${tokens['access_token']}` };

    await booted.anonymous.get('/api/v1/agent-consents:this').set(authorization).expect(401);
    const { body } = await booted.anonymous.get('/userinfo').set(authorization).expect(200);

    expect(body).toMatchObject({ sub: ADA.id, email: ADA.email });
  });

  it.each([
    ['another resource', { resource: 'https://other.example' }, 'invalid_target'],
    ['no PKCE', { code_challenge: undefined, code_challenge_method: undefined }, 'invalid_request'],
    ['unknown scopes only', { scope: 'mail:read' }, 'invalid_scope'],
    ['consent without a page', { prompt: 'none' }, 'login_required'],
  ])('is refused with %s', async (_, parameters, error) => {
    const booted = await fresh();
    const resource = `${booted.own.name}.${TASK_SERVER}`;
    const { client_id } = await registered(booted, resource);

    const visit = await new Browser(booted).open(authorizeUrl(resource, { client_id, ...parameters }));

    expect(visit.query('error')).toBe(error);
    expect(visit.query('state')).toBe('kept');
  });

  it('accepts the address of the resource as clients write it, and its id', async () => {
    const booted = await fresh();
    const { id } = await aResource(booted.api, { resource_uri: 'http://localhost:3002' });
    const resource = `${booted.own.name}.${id}`;
    const { client_id } = await registered(booted, resource);

    const code = await codeFor(booted, resource, { client_id, resource: 'http://localhost:3002/' });
    const form = { ...exchange(client_id, code), resource: id };
    const { body } = await askToken(booted.anonymous, resource, form).expect(200);

    expect(claimsOf(body.access_token)['aud']).toEqual(['http://localhost:3002', id]);
  });

  it('refuses the code, the client and the token request of another resource', async () => {
    const { booted, client_id, code, resource, tokens } = await signedIn();
    const other = `${booted.own.name}.${(await aResource(booted.api)).id}`;

    const elsewhere = await askToken(booted.anonymous, other, exchange(client_id, code)).expect(401);
    const form = refreshed(client_id, tokens['refresh_token']!, { resource: 'https://other.example' });
    const target = await askToken(booted.anonymous, resource, form).expect(400);
    const unknown = await askToken(booted.anonymous, 'res_1', exchange(client_id, code)).expect(404);

    expect(elsewhere.body.error).toBe('invalid_client');
    expect(target.body.error).toBe('invalid_target');
    expect(unknown.body).toMatchObject({
      error: 'invalid_request',
      error_description: expect.stringContaining('res_1'),
    });
  });
});

describe('The consent page', () => {
  const start = async (booted: Booted, parameters: Record<string, string> = {}) => {
    const { client_id } = await registered(booted, `${booted.own.name}.${TASK_SERVER}`, {
      client_uri: 'https://laptop.example',
    });
    return askedForConsent(booted, `${booted.own.name}.${TASK_SERVER}`, { client_id, ...parameters });
  };

  it('shows client, resource, user and scopes', async () => {
    const booted = await fresh();

    const page = await start(booted, { scope: 'todo:read' });

    expect(page.status).toBe(200);
    for (const text of ['Laptop agent', 'Todo server', ADA.email, 'Read your to-dos', 'localhost:4000'])
      expect(page.text.replaceAll('<wbr>', '').replaceAll('<wbr />', '')).toContain(text);
    expect(page.text).not.toContain('todo:write');
  });

  it('lets the user leave out scopes if the resource allows it, but not those of OpenID', async () => {
    const booted = await fresh();
    const resource = `${booted.own.name}.${TASK_SERVER}`;
    const change = { resource_scope_selection_allowed: true };
    await booted.api.patch(`/api/v1/resources/${TASK_SERVER}`).send(change).expect(200);
    const { client_id } = await registered(booted, resource);
    const scope = 'openid todo:read todo:write';

    const page = await askedForConsent(booted, resource, { client_id, scope });
    const visit = await page.submit({ decision: 'allow', scope: 'todo:read' });
    const code = visit.query('code')!;
    const { body } = await askToken(booted.anonymous, resource, exchange(client_id, code)).expect(200);

    expect(page.text).toMatch(/name="scope"\s+value="todo:write"\s+checked/);
    expect(page.text).toMatch(/name="scope"\s+value="openid"\s+checked\s+disabled/);
    expect(claimsOf(body.access_token)['scopes']).toEqual(['openid', 'todo:read']);
  });

  it('goes back with access_denied if the user denies', async () => {
    const booted = await fresh();

    const visit = await (await start(booted)).submit({ decision: 'deny' });

    expect(visit.query('error')).toBe('access_denied');
    expect(visit.query('state')).toBe('kept');
    const { body } = await booted.api.get(`/api/v1/user_consents?resource_id=${TASK_SERVER}`).expect(200);
    expect(body.total_size).toBe(1);
  });

  it('asks again for a decision that it does not know', async () => {
    const booted = await fresh();

    const again = await (await start(booted)).submit({ decision: 'maybe' });

    expect(again.status).toBe(400);
    expect(again.text).toContain('Choose Allow or Deny.');
  });

  it('is remembered, until the client wants more or asks for it', async () => {
    const booted = await fresh();
    const resource = `${booted.own.name}.${TASK_SERVER}`;
    const client = { client_id: REPORTING.client_id, ...NEW };

    const known = await askedForConsent(booted, resource, { ...client, scope: 'todo:read' });
    const more = await askedForConsent(booted, resource, { ...client, scope: 'todo:read openid' });
    const asked = await askedForConsent(booted, resource, {
      ...client,
      scope: 'todo:read',
      prompt: 'consent',
    });

    expect(known.query('code')).not.toBeNull();
    expect(more.text).toContain('Requested access');
    expect(asked.text).toContain('Requested access');
  });

  it('counts only once the user is proved', async () => {
    const booted = await fresh();
    const resource = `${booted.own.name}.${TASK_SERVER}`;
    const { client_id } = await registered(booted, resource);
    const guest = { email: 'guest@elsewhere.example', membership: {} };
    await booted.api.post(`/api/v1/organizations/${ACME}/users`).send(guest).expect(201);
    const browser = new Browser(booted);
    const begun = await browser.open(authorizeUrl(resource, { client_id }));
    const id = begun.url.split('/').pop();
    const provider = await browser.open(`/sso/v1/oidc/${OKTA}/init?auth_request_id=${id}`);
    const waiting = await provider.submit({ email: guest.email }, 'id="email"');
    expect(waiting.url).toMatch(/\/code$/);
    const csrf_token = /name="csrf_token" value="([^"]*)"/.exec(waiting.text)![1]!;

    const still = await browser.send(`/ui/login/${id}/consent`, { csrf_token, decision: 'allow' });

    expect(still.url).toMatch(/\/code$/);
    const { body } = await booted.api.get(`/api/v1/user_consents?resource_id=${TASK_SERVER}`).expect(200);
    expect(body.total_size).toBe(1);
  });

  it('counts only for the user who allowed', async () => {
    const booted = await fresh();
    const resource = `${booted.own.name}.${TASK_SERVER}`;
    const { client_id } = await registered(booted, resource);
    const allowedBy = async (consent_of: string) => {
      const page = await new Browser(booted).open(authorizeUrl(resource, { client_id, scope: 'todo:read' }));
      const { body } = await booted.control.get('/state/login_transactions').expect(200);
      const { id } = body.rows.at(-1);
      await booted.control.patch(`/state/login_transactions/${id}`).send({ consent_of }).expect(200);
      return page.submit({ user_id: ADA.id });
    };

    const others = await allowedBy('usr_10000000000000102');
    const own = await allowedBy(ADA.id);

    expect(others.text).toContain('Requested access');
    expect(own.query('code')).not.toBeNull();
  });

  it('is described by a call of the browser that waits', async () => {
    const booted = await fresh();
    await booted.anonymous.get('/api/v1/oauth/consent/details').expect(404);
    await start(booted, { scope: 'todo:read' });
    const { body: state } = await booted.control.get('/state').expect(200);
    const cookie = `understudy_login=${state.login_transactions.at(-1).browser_secret}`;

    const { body } = await booted.anonymous.get('/api/v1/oauth/consent/details').set({ cookie }).expect(200);

    expect(body).toMatchObject({
      resource: { id: TASK_SERVER },
      user: { email: ADA.email },
      client: { name: 'Laptop agent' },
      scopes: [{ name: 'todo:read', description: 'Read your to-dos' }],
    });
  });

  it('offers only scopes that are permissions of the user, if the resource says so', async () => {
    const booted = await fresh();
    await booted.api
      .patch(`/api/v1/resources/${TASK_SERVER}`)
      .send({ intersect_scopes_user_permission: true })
      .expect(200);

    const visit = await start(booted);

    expect(visit.query('error')).toBe('access_denied');
  });
});

describe('A consent', () => {
  it('can be found, and revoked by its user or by the application, with its refresh tokens', async () => {
    const { booted, resource, client_id, tokens } = await signedIn();
    const { api, anonymous } = booted;
    const found = await api.get(`/api/v1/user_consents?resource_id=${TASK_SERVER}&search=laptop`).expect(200);
    const [{ id }] = found.body.consents;

    await api.delete(`/api/v1/clients/${REPORTING.client_id}/consents/${id}`).expect(404);
    await api.delete(`/api/v1/clients/${client_id}/consents/${id}`).expect(200);

    expect(found.body).toMatchObject({
      total_size: 1,
      consents: [{ client_id, client_name: 'Laptop agent' }],
    });
    const refused = await askToken(
      anonymous,
      resource,
      refreshed(client_id, tokens['refresh_token']!),
    ).expect(400);
    expect(refused.body.error).toBe('invalid_grant');
  });

  it('is listed and revoked by its user alone', async () => {
    const booted = await boot();
    const { anonymous } = booted;
    const { access_token } = await tokensOf(booted);
    const user = { authorization: `Bearer ${access_token}` };
    const LIST = '/api/v1/agent-consents:this';

    const { body } = await anonymous.get(LIST).set(user).expect(200);
    const id = body.consents[0].id as string;
    await anonymous.delete(`${LIST}/usrcnst_9`).set(user).expect(404);
    await anonymous.delete(`${LIST}/${id}`).set(user).expect(200);

    expect(body).toMatchObject({ total_size: 1, consents: [{ client_name: 'Reporting agent' }] });
    expect((await anonymous.get(LIST).set(user).expect(200)).body.total_size).toBe(0);
    await booted.api.get(LIST).expect(403);
  });
});

describe('A client of a protected resource', () => {
  const form = { grant_type: 'client_credentials', ...REPORTING };

  it('gets a token for itself at the endpoint of the resource or of the environment', async () => {
    const { anonymous, own } = await fresh();

    const { body } = await askToken(anonymous, `${own.name}.${TASK_SERVER}`, form).expect(200);

    expect(claimsOf(body.access_token)).toMatchObject({
      sub: REPORTING.client_id,
      aud: ['http://localhost:3001/mcp', TASK_SERVER],
      resid: TASK_SERVER,
      scopes: ['todo:read'],
    });
    await anonymous.post('/oauth/token').type('form').send(form).expect(200);
  });

  it('gets those of the requested scopes that it may have', async () => {
    const { anonymous, own } = await fresh();
    const scope = 'mail:read todo:write todo:read';

    const { body } = await askToken(anonymous, `${own.name}.${TASK_SERVER}`, { ...form, scope }).expect(200);

    expect(body.scope).toBe('todo:read');
    expect(claimsOf(body.access_token)['scopes']).toEqual(['todo:read']);
  });

  it('learns with its secret whether a token of the resource is active', async () => {
    const { booted, tokens } = await signedIn();

    const { body } = await booted.anonymous
      .post('/oauth/introspect')
      .type('form')
      .send({ ...REPORTING, token: tokens['access_token'] })
      .expect(200);

    expect(body).toMatchObject({
      active: true,
      resid: TASK_SERVER,
      scope: 'todo:read todo:write',
      username: ADA.email,
    });
  });

  it.each([
    ['only a scope of the resource that it does not list', { scope: 'todo:write' }, 'invalid_scope'],
    ['another resource', { resource: 'https://other.example' }, 'invalid_target'],
    [
      'a grant that the resource does not enable',
      { grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion: 'x' },
      'unauthorized_client',
    ],
  ])('is refused %s', async (_, wanted, error) => {
    const { anonymous, own } = await fresh();

    const { body } = await askToken(anonymous, `${own.name}.${TASK_SERVER}`, { ...form, ...wanted }).expect(
      400,
    );

    expect(body.error).toBe(error);
  });

  it('that registered itself gets no token for itself, and cannot revoke one without a secret', async () => {
    const { booted, resource, client_id, tokens } = await signedIn();
    const { anonymous } = booted;

    const own = await askToken(anonymous, resource, { grant_type: 'client_credentials', client_id });
    const revoked = await anonymous
      .post('/revoke')
      .type('form')
      .send({ client_id, token: tokens['refresh_token'] })
      .expect(401);

    expect(own.status).toBe(401);
    expect(revoked.body.error).toBe('invalid_client');
  });
});
