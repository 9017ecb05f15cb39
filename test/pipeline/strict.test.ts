import { describe, expect, it } from 'vitest';
import { boot, type Agent } from '../support/boot.ts';
import { refusal } from '../support/violations.ts';

const ORGANIZATIONS = '/api/v1/organizations';
const ACME = `${ORGANIZATIONS}/org_10000000000000001`;
const CREDENTIALS = {
  grant_type: 'client_credentials',
  client_id: 'skc_1000000000000000001',
  client_secret: 'test_understudy_default_secret',
};

/** Calls with fields that the document does not name, where they may stand, and what is told of them. */
const STRANGERS: {
  where: string;
  call: (api: Agent) => ReturnType<Agent['get']>;
  told: string[];
  near?: string;
}[] = [
  {
    where: 'in the body',
    call: (api) => api.post(ORGANIZATIONS).send({ display_name: 'Acme', display_nmae: 'Acme' }),
    told: ['display_nmae'],
    near: 'display_name',
  },
  {
    where: 'in a member of the body',
    call: (api) =>
      api.post(`${ACME}/users`).send({ email: 'new@acme.example', user_profile: { given_nam: 'N' } }),
    told: ['user_profile.given_nam'],
    near: 'given_name',
  },
  {
    where: 'in an element of a list',
    call: (api) =>
      api.patch(`${ACME}/settings`).send({ features: [{ name: 'sso', enabled: true, enabeld: true }] }),
    told: ['features[0].enabeld'],
    near: 'enabled',
  },
  {
    where: 'in the query',
    call: (api) => api.get(`${ORGANIZATIONS}?page_size=1&page_tokn=`),
    told: ['query.page_tokn'],
    near: 'page_token',
  },
  {
    where: 'in a form',
    call: (api) =>
      api
        .post('/oauth/token')
        .type('form')
        .send({ ...CREDENTIALS, scop: 'x' }),
    told: ['scop'],
    near: 'scope',
  },
  {
    where: 'in a further path of an operation',
    call: (api) => api.patch('/api/v1/users:external/nobody').send({ user_profile: { colour: 'blue' } }),
    told: ['user_profile.colour'],
  },
  {
    where: 'in several places',
    call: (api) =>
      api.post(`${ORGANIZATIONS}?dry=1`).send({ display_name: 'Acme', externl_id: 'x', ünknown: 1 }),
    told: ['query.dry', 'externl_id', 'ünknown'],
    near: 'external_id',
  },
  {
    where: 'in a body that the operation does not have',
    call: (api) => api.delete(`${ORGANIZATIONS}/org_404`).send({ force: true }),
    told: ['body.force'],
  },
];

const headerOf = (told: readonly string[], near?: string) =>
  `unknown: ${told.join(', ')}${near === undefined ? '' : `; did you mean ${near}?`}`.replace('ü', '?');

describe.each(STRANGERS)('a field that the document does not name, $where', ({ call, told, near }) => {
  it('is dropped, and told in a header and in the journal', async () => {
    const { api, control } = await boot();

    const response = await call(api);

    expect([200, 201, 404]).toContain(response.status);
    expect(response.headers['understudy-warnings']).toBe(headerOf(told, near));
    const entry = await control.get(`/requests/${response.headers['understudy-request-id']}`).expect(200);
    expect(entry.body.validation).toMatchObject({ violations: [], unknown: told });
  });

  it('is refused by a strict service, and changes nothing', async () => {
    const { api, control } = await boot({ strict: true });
    const before = await control.get('/state/hash').expect(200);

    const response = await call(api).expect(400);

    const text = JSON.stringify(response.body);
    for (const field of told) expect(text).toContain(field.replace('query.', ''));
    if (near !== undefined) expect(text).toContain(`the contract has no such field; did you mean ${near}?`);
    expect((await control.get('/state/hash').expect(200)).body).toEqual(before.body);
  });
});

describe('a strict service', () => {
  it('tells unknown fields beside the rules that the request breaks', async () => {
    const { api } = await boot({ strict: true });

    const { body } = await api.post(ORGANIZATIONS).send({ display_name: '', colour: 'blue' }).expect(400);

    expect(body).toEqual(
      refusal(
        {
          field: 'organization.display_name',
          description: expect.any(String),
          constraint: expect.any(String),
        },
        { field: 'colour', description: 'the contract has no such field', constraint: 'unknown_field' },
      ),
    );
  });

  it('takes what the document leaves open: metadata, parameters of a tool, camelCase, null, an empty body', async () => {
    const { api } = await boot({ strict: true });

    await api
      .post(ORGANIZATIONS)
      .send({ displayName: 'Acme', externalId: null, metadata: { favourite_colour: 'blue' } })
      .expect(201);
    await api.delete(`${ORGANIZATIONS}/org_404`).send({}).expect(404);
    const run = await api.post('/api/v1/execute_tool').send({
      tool_name: 'github_user_get_authenticated',
      identifier: 'nobody',
      params: { any: { thing: 1 } },
    });
    expect(run.text).not.toContain('no such field');
  });

  it('lets a scenario speak first, as for any other refusal', async () => {
    const { api, control } = await boot({ strict: true });
    await control.post('/scenarios').send({ name: 'rate-limit-once' }).expect(201);

    await api.post(ORGANIZATIONS).send({ display_name: 'Acme', colour: 'blue' }).expect(429);
    await api.post(ORGANIZATIONS).send({ display_name: 'Acme', colour: 'blue' }).expect(400);
  });
});

describe('an environment', () => {
  const STRANGE = { display_name: 'Acme', colour: 'blue' };

  it('may be strict in a service that is not, after a reset and in a fork too', async () => {
    const { api, control, environment } = await boot();
    const strict = await environment('strict', { strict: true });

    await strict.api.post(ORGANIZATIONS).send(STRANGE).expect(400);
    await api.post(ORGANIZATIONS).send(STRANGE).expect(201);
    await strict.control.post('/reset').expect(204);
    await strict.api.post(ORGANIZATIONS).send(STRANGE).expect(400);
    const fork = await control.post('/environments/strict/fork').send({ name: 'fork' }).expect(201);
    const { client_id, client_secret } = fork.body;
    const form = { grant_type: 'client_credentials', client_id, client_secret, colour: 'blue' };
    await api.post('/oauth/token').set('understudy-environment', 'fork').type('form').send(form).expect(400);
  });

  it('may be lenient in a service that is strict', async () => {
    const { api, environment } = await boot({ strict: true });
    const lenient = await environment('lenient', { strict: false });
    const ordinary = await environment('ordinary');

    await lenient.api.post(ORGANIZATIONS).send(STRANGE).expect(201);
    await ordinary.api.post(ORGANIZATIONS).send(STRANGE).expect(400);
    await api.post(ORGANIZATIONS).send(STRANGE).expect(400);
  });
});

describe('hints', () => {
  it('are only of names that are near', async () => {
    const { api } = await boot();

    const { headers } = await api
      .post(ORGANIZATIONS)
      .send({ display_name: 'Acme', favourite_colour: 'blue' })
      .expect(201);

    expect(headers['understudy-warnings']).toBe('unknown: favourite_colour');
  });
});

describe('a control call', () => {
  it.each([
    ['in the body', '/clock', { mode: 'offset', ofset: '1h' }, 'ofset', '; did you mean offset?'],
    ['nested', '/environments', { clock: { mode: 'frozen', att: 'x' } }, 'clock.att', '; did you mean at?'],
    ['in the query', '/reset?onyl=state', undefined, 'query.onyl', '; did you mean only?'],
  ])('with an unknown field %s is refused, strict or not', async (_, path, body, field, hint) => {
    const { control } = await boot();
    const verb = path === '/clock' ? 'put' : 'post';

    const refused = await control[verb](path).send(body).expect(400);

    expect(refused.body.details[0].validation_error_info.field_violations).toContainEqual({
      field,
      description: expect.stringMatching(/^Control_\w+ has no such field/),
      constraint: 'unknown_field',
    });
    expect(refused.text).toContain(`has no such field${hint}`);
  });
});
