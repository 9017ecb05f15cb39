import { describe, expect, it } from 'vitest';
import { boot, type Booted } from '../support/boot.ts';

const LIST = '/api/v1/organizations';
const SECRET = 'test_understudy_default_secret';

/** Boots the environments default, red and blue, each with one organization of the same name. */
async function bootThree() {
  const booted = await boot({ fixture: 'empty' });
  const red = await booted.environment('red', { fixture: 'empty' });
  const blue = await booted.environment('blue', { fixture: 'empty' });
  for (const [api, display_name] of [
    [booted.api, 'default'],
    [red.api, 'red'],
    [blue.api, 'blue'],
  ] as const)
    await api.post(LIST).send({ display_name }).expect(201);
  return { ...booted, red, blue };
}

const names = async (call: ReturnType<Booted['api']['get']>) => {
  const { body } = await call.expect(200);
  return (body as { organizations: { display_name: string }[] }).organizations.map((o) => o.display_name);
};

/** The number of calls of an operation in each journal. */
async function counts({ control, red, blue }: Awaited<ReturnType<typeof bootThree>>, operation: string) {
  const countIn = async (agent: typeof control) =>
    (await agent.get(`/requests?operation=${operation}`).expect(200)).body.requests.length;
  return {
    default: await countIn(control),
    red: await countIn(red.control),
    blue: await countIn(blue.control),
  };
}

/** The number of recorded calls of /keys in each journal. */
const journals = (three: Awaited<ReturnType<typeof bootThree>>) => counts(three, 'OAuth_Keys');

describe('the environment of a call', () => {
  it('is taken from the token', async () => {
    const { api, red, blue } = await bootThree();

    const seen = [
      await names(api.get(LIST)),
      await names(red.api.get(LIST)),
      await names(blue.api.get(LIST)),
    ];

    expect(seen).toEqual([['default'], ['red'], ['blue']]);
  });

  it('is `default` when nothing selects another', async () => {
    const three = await bootThree();

    await three.anonymous.get('/keys').expect(200);

    expect(await journals(three)).toEqual({ default: 1, red: 0, blue: 0 });
  });

  it('is taken from the header `understudy-environment`', async () => {
    const three = await bootThree();

    await three.anonymous.get('/keys').set({ 'understudy-environment': 'red' }).expect(200);

    expect(await journals(three)).toEqual({ default: 0, red: 1, blue: 0 });
  });

  it('is taken from the host scalekit.localhost if an environment has that name', async () => {
    const { anonymous, environment, control } = await boot({ fixture: 'empty' });
    const scalekit = await environment('scalekit', { fixture: 'empty' });

    await anonymous.get('/keys').set({ host: 'scalekit.localhost:8080' }).expect(200);

    const of = async (agent: typeof control) =>
      (await agent.get('/requests?operation=OAuth_Keys').expect(200)).body.requests.length;
    expect([await of(control), await of(scalekit.control)]).toEqual([0, 1]);
  });

  it.each(['red.localhost', 'red.localhost:8080', 'RED.localhost:8080'])(
    'is taken from the host %s',
    async (host) => {
      const three = await bootThree();

      await three.anonymous.get('/keys').set({ host }).expect(200);

      expect(await journals(three)).toEqual({ default: 0, red: 1, blue: 0 });
    },
  );

  it.each([
    'localhost',
    'localhost:8080',
    '127.0.0.1:8080',
    'red.example',
    'deep.red.localhost',
    'default.localhost',
    'scalekit.localhost',
    'SCALEKIT.localhost:8080',
    'env.scalekit.localhost:8080',
  ])('is `default` for the host %s', async (host) => {
    const three = await bootThree();

    await three.anonymous.get('/keys').set({ host }).expect(200);

    expect(await journals(three)).toEqual({ default: 1, red: 0, blue: 0 });
  });

  it('is taken from the client id of a token request, in the form or in HTTP Basic', async () => {
    const { anonymous, control } = await boot({ fixture: 'empty' });
    const { body: created } = await control
      .post('/environments')
      .send({ name: 'red', fixture: 'empty' })
      .expect(201);
    const { client_id, client_secret } = created as { client_id: string; client_secret: string };
    const form = { grant_type: 'client_credentials' };

    const posted = await anonymous
      .post('/oauth/token')
      .type('form')
      .send({ ...form, client_id, client_secret });
    const basic = await anonymous.post('/oauth/token').type('form').auth(client_id, client_secret).send(form);

    expect([posted.status, basic.status]).toEqual([200, 200]);
    for (const { body } of [posted, basic]) {
      await anonymous
        .post(LIST)
        .set({ authorization: `Bearer ${body.access_token}` })
        .send({ display_name: 'x' });
    }
    const { body: rows } = await control.get('/environments/red/state/organizations').expect(200);
    expect(rows.rows).toHaveLength(2);
  });

  it('is taken from a link', async () => {
    const three = await bootThree();
    const { body } = await three.red.control.get('/state/organizations').expect(200);
    const created = await three.red.api.put(`${LIST}/${body.rows[0].id}/portal_links`).expect(200);

    await three.anonymous.get(new URL(created.body.link.location).pathname);
    expect((await three.red.control.get('/requests').expect(200)).body.requests.at(-1)).toMatchObject({
      path: '/magicLink/[redacted]',
      status: 302,
    });
  });

  it.each([
    ['blue', 'blue.0b9e7a54-3c21-4d68-8f17-5a6b7c8d9e0f', { default: 0, blue: 1 }],
    [
      '`default` when no environment has that name',
      'gone.0b9e7a54-3c21-4d68-8f17-5a6b7c8d9e0f',
      { default: 1, blue: 0 },
    ],
  ])('for a code in a parameter that the contract marks is %s', async (_, code, expected) => {
    const three = await bootThree();

    await three.anonymous.get(`/ui/signed-in?code=${code}`).expect(200);

    expect(await counts(three, 'FrontPage_SignedIn')).toMatchObject(expected);
  });

  it('is not taken from a parameter that the operation does not have', async () => {
    const three = await bootThree();

    await three.anonymous.get('/keys?code=blue.0b9e7a54-3c21-4d68-8f17-5a6b7c8d9e0f').expect(200);

    expect(await journals(three)).toEqual({ default: 1, red: 0, blue: 0 });
  });

  it('is taken from the cookie, but from the link when both are present', async () => {
    const three = await bootThree();
    const cookie = 'other=1; understudy_session=red.Understudy0000000000000000000000000000';

    await three.anonymous.get('/').set({ cookie }).expect(200);
    await three.anonymous
      .get('/ui/link?link_token=blue.0b9e7a54-3c21-4d68-8f17-5a6b7c8d9e0f')
      .set({ cookie });
    await three.anonymous.get('/ui/link?link_token=0b9e7a54-3c21-4d68-8f17-5a6b7c8d9e0f_l').set({ cookie });

    expect(await counts(three, 'FrontPage_Show')).toEqual({ default: 0, red: 1, blue: 0 });
    expect(await counts(three, 'LoginPage_OpenLink')).toEqual({ default: 1, red: 0, blue: 1 });
  });

  it('is taken from the first of two cookies with the same name', async () => {
    const three = await bootThree();
    const of = (name: string) => `understudy_session=${name}.Understudy0000000000000000000000000000`;

    await three.anonymous
      .get('/')
      .set({ cookie: `${of('blue')}; ${of('red')}` })
      .expect(200);

    expect(await counts(three, 'FrontPage_Show')).toEqual({ default: 0, red: 0, blue: 1 });
  });

  it('is not taken from a client id outside /oauth', async () => {
    const three = await bootThree();

    await three.anonymous.get('/keys').auth('skc_red_1000000000000000001', 'any').expect(200);

    expect(await journals(three)).toEqual({ default: 1, red: 0, blue: 0 });
  });
});

describe('when several parts of a call select an environment', () => {
  it('the client id wins over a cookie', async () => {
    const three = await bootThree();
    const query =
      'client_id=skc_1000000000000000001&response_type=code&redirect_uri=http://localhost:3000/callback';

    await three.anonymous
      .get(`/oauth/authorize?${query}`)
      .set({ cookie: 'understudy_login=red.Understudy0000000000000000000000000000' });

    expect(await counts(three, 'OAuth_Authorize')).toEqual({ default: 1, red: 0, blue: 0 });
  });

  it('the header wins over the token', async () => {
    const { red } = await bootThree();

    const refused = await red.api.get(LIST).set({ 'understudy-environment': 'blue' }).expect(401);

    const message = 'token was issued in environment red, and this call is for blue';
    expect(refused.body).toMatchObject({ message });
  });

  it('the header wins over the host', async () => {
    const three = await bootThree();

    await three.anonymous
      .get('/keys')
      .set({ host: 'blue.localhost', 'understudy-environment': 'red' })
      .expect(200);

    expect(await journals(three)).toEqual({ default: 0, red: 1, blue: 0 });
  });

  it('the token wins over the host', async () => {
    const { api, red } = await bootThree();

    const seen = [
      await names(red.api.get(LIST).set({ host: 'blue.localhost' })),
      await names(api.get(LIST).set({ host: 'blue.localhost' })),
    ];

    expect(seen).toEqual([['red'], ['default']]);
  });

  it('the client id wins over the host', async () => {
    const { anonymous } = await bootThree();
    const form = {
      grant_type: 'client_credentials',
      client_id: 'skc_1000000000000000001',
      client_secret: SECRET,
    };

    const response = await anonymous
      .post('/oauth/token')
      .type('form')
      .set({ host: 'blue.localhost' })
      .send(form);

    expect(response.status).toBe(200);
  });

  it('a token without an environment leaves the choice to the host', async () => {
    const three = await bootThree();

    await three.anonymous
      .get('/keys')
      .set({ host: 'blue.localhost', authorization: 'Bearer opaque' })
      .expect(200);

    expect(await journals(three)).toEqual({ default: 0, red: 0, blue: 1 });
  });
});

describe('an unknown environment', () => {
  it.each([
    ['header', { 'understudy-environment': 'rde' }],
    ['host', { host: 'rde.localhost' }],
  ])('in the %s is answered with 404 and the nearest name', async (_, headers) => {
    const { anonymous } = await bootThree();

    const missing = await anonymous.get('/keys').set(headers).expect(404);

    expect(missing.body).toMatchObject({
      code: 5,
      message: 'environment rde not found; did you mean red?',
      details: [{ error_code: 'RESOURCE_NOT_FOUND' }],
    });
  });

  it.each([
    ['path of the control API', '/_control/v1/environments/a%00b', {}, 400, /^Validation error$/],
    ['header', '/keys', { 'understudy-environment': 'a%00b' }, 404, /^environment a%00b not found/],
    [
      'header of the control API',
      '/_control/v1/state',
      { 'understudy-environment': 'a%00b' },
      404,
      /^environment a%00b not found/,
    ],
    ['host', '/keys', { host: 'a%00b.localhost' }, 400, /"a%00b\.localhost" is not a host/],
  ])('that no name can be is refused in the %s', async (_, path, headers, status, message) => {
    const { anonymous } = await boot();

    const { body } = await anonymous.get(path).set(headers).expect(status);

    expect(body.message).toMatch(message);
  });

  it('makes its tokens and credentials invalid after it is deleted', async () => {
    const { anonymous, control, red } = await bootThree();
    const { client_id, client_secret } = (await control.get('/environments/red').expect(200)).body;
    await control.delete('/environments/red').expect(204);

    const call = await red.api.get(LIST);
    const form = { grant_type: 'client_credentials', client_id, client_secret };
    const token = await anonymous.post('/oauth/token').type('form').send(form);

    const message = 'token was issued in environment red, and this call is for default';
    expect(call).toMatchObject({ status: 401, body: { message } });
    expect(token).toMatchObject({ status: 401, body: { error: 'invalid_client' } });
  });
});
