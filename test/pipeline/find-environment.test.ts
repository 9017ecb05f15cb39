import { describe, expect, it } from 'vitest';
import { boot, type Booted } from '../support/boot.ts';

const LIST = '/api/v1/organizations';
const SECRET = 'test_understudy_default_secret';

/** Two environments beside `default`, each with one organization of its name and nothing else. */
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

/** Where an anonymous call was recorded. */
async function journals({ control, red, blue }: Awaited<ReturnType<typeof bootThree>>) {
  const keyCalls = async (agent: typeof control) =>
    (await agent.get('/requests?operation=OAuth_Keys').expect(200)).body.requests.length;
  return {
    default: await keyCalls(control),
    red: await keyCalls(red.control),
    blue: await keyCalls(blue.control),
  };
}

describe('the environment that a call belongs to', () => {
  it('is the one that its token names', async () => {
    const { api, red, blue } = await bootThree();

    const seen = [
      await names(api.get(LIST)),
      await names(red.api.get(LIST)),
      await names(blue.api.get(LIST)),
    ];

    expect(seen).toEqual([['default'], ['red'], ['blue']]);
  });

  it('is `default` when nothing names one', async () => {
    const three = await bootThree();

    await three.anonymous.get('/keys').expect(200);

    expect(await journals(three)).toEqual({ default: 1, red: 0, blue: 0 });
  });

  it('is the one of the header `understudy-environment`', async () => {
    const three = await bootThree();

    await three.anonymous.get('/keys').set({ 'understudy-environment': 'red' }).expect(200);

    expect(await journals(three)).toEqual({ default: 0, red: 1, blue: 0 });
  });

  it.each(['red.localhost', 'red.localhost:8080', 'RED.localhost:8080'])(
    'is the one of the host %s',
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
  ])('is `default` at the host %s', async (host) => {
    const three = await bootThree();

    await three.anonymous.get('/keys').set({ host }).expect(200);

    expect(await journals(three)).toEqual({ default: 1, red: 0, blue: 0 });
  });

  it('is the one that the client id of a token request names, in the form or in HTTP Basic', async () => {
    const { anonymous, control } = await boot({ fixture: 'empty' });
    const { body: made } = await control
      .post('/environments')
      .send({ name: 'red', fixture: 'empty' })
      .expect(201);
    const { client_id, client_secret } = made as { client_id: string; client_secret: string };
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

  it('is the one that has made the link', async () => {
    const three = await bootThree();
    const { body } = await three.red.control.get('/state/organizations').expect(200);
    const made = await three.red.api.put(`${LIST}/${body.rows[0].id}/portal_links`).expect(200);

    await three.anonymous.get(new URL(made.body.link.location).pathname);
    await three.anonymous.get('/keys?code=blue.0b9e7a54-3c21-4d68-8f17-5a6b7c8d9e0f').expect(200);
    await three.anonymous.get('/keys?code=gone.0b9e7a54-3c21-4d68-8f17-5a6b7c8d9e0f').expect(200);

    expect((await three.red.control.get('/requests').expect(200)).body.requests.at(-1)).toMatchObject({
      path: '/magicLink/[redacted]',
      status: 302,
    });
    expect(await journals(three)).toEqual({ default: 1, red: 0, blue: 1 });
  });

  it('is not looked for in a client id elsewhere than at /oauth', async () => {
    const three = await bootThree();

    await three.anonymous.get('/keys').auth('skc_red_1000000000000000001', 'any').expect(200);

    expect(await journals(three)).toEqual({ default: 1, red: 0, blue: 0 });
  });
});

describe('where several say which environment', () => {
  it('the header wins over the token', async () => {
    const { red } = await bootThree();

    const refused = await red.api.get(LIST).set({ 'understudy-environment': 'blue' }).expect(401);

    expect(refused.body).toMatchObject({ message: 'token was issued in another environment' });
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

    const heard = await anonymous
      .post('/oauth/token')
      .type('form')
      .set({ host: 'blue.localhost' })
      .send(form);

    expect(heard.status).toBe(200);
  });

  it('a token that says nothing leaves it to the host', async () => {
    const three = await bootThree();

    await three.anonymous
      .get('/keys')
      .set({ host: 'blue.localhost', authorization: 'Bearer opaque' })
      .expect(200);

    expect(await journals(three)).toEqual({ default: 0, red: 0, blue: 1 });
  });
});

describe('an environment that is not there', () => {
  it.each([
    ['header', { 'understudy-environment': 'rde' }],
    ['host', { host: 'rde.localhost' }],
  ])('is not found by the %s, and the nearest name is told', async (_, headers) => {
    const { anonymous } = await bootThree();

    const missing = await anonymous.get('/keys').set(headers).expect(404);

    expect(missing.body).toMatchObject({
      code: 5,
      message: 'environment rde not found; did you mean red?',
      details: [{ error_code: 'RESOURCE_NOT_FOUND' }],
    });
  });

  it('refuses the tokens and credentials that it has given', async () => {
    const { anonymous, control, red } = await bootThree();
    const { client_id, client_secret } = (await control.get('/environments/red').expect(200)).body;
    await control.delete('/environments/red').expect(204);

    const call = await red.api.get(LIST);
    const form = { grant_type: 'client_credentials', client_id, client_secret };
    const token = await anonymous.post('/oauth/token').type('form').send(form);

    expect(call).toMatchObject({ status: 401, body: { message: 'token was issued in another environment' } });
    expect(token).toMatchObject({ status: 401, body: { error: 'invalid_client' } });
  });
});
