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

/** Calls with fields that the contract does not have, and the expected warnings. */
const CALLS: {
  where: string;
  call: (api: Agent) => ReturnType<Agent['get']>;
  fields: string[];
  suggestion?: string;
}[] = [
  {
    where: 'in the body',
    call: (api) => api.post(ORGANIZATIONS).send({ display_name: 'Acme', display_nmae: 'Acme' }),
    fields: ['display_nmae'],
    suggestion: 'display_name',
  },
  {
    where: 'in a member of the body',
    call: (api) =>
      api.post(`${ACME}/users`).send({ email: 'new@acme.example', user_profile: { given_nam: 'N' } }),
    fields: ['user_profile.given_nam'],
    suggestion: 'given_name',
  },
  {
    where: 'in an element of a list',
    call: (api) =>
      api.patch(`${ACME}/settings`).send({ features: [{ name: 'sso', enabled: true, enabeld: true }] }),
    fields: ['features[0].enabeld'],
    suggestion: 'enabled',
  },
  {
    where: 'in the query',
    call: (api) => api.get(`${ORGANIZATIONS}?page_size=1&page_tokn=`),
    fields: ['query.page_tokn'],
    suggestion: 'page_token',
  },
  {
    where: 'in a form',
    call: (api) =>
      api
        .post('/oauth/token')
        .type('form')
        .send({ ...CREDENTIALS, scop: 'x' }),
    fields: ['scop'],
    suggestion: 'scope',
  },
  {
    where: 'in a further path of an operation',
    call: (api) => api.patch('/api/v1/users:external/nobody').send({ user_profile: { colour: 'blue' } }),
    fields: ['user_profile.colour'],
  },
  {
    where: 'in several places',
    call: (api) =>
      api.post(`${ORGANIZATIONS}?dry=1`).send({ display_name: 'Acme', externl_id: 'x', ünknown: 1 }),
    fields: ['query.dry', 'externl_id', 'ünknown'],
    suggestion: 'external_id',
  },
  {
    where: 'in a body that the operation does not have',
    call: (api) => api.delete(`${ORGANIZATIONS}/org_404`).send({ force: true }),
    fields: ['body.force'],
  },
];

const headerOf = (fields: readonly string[], suggestion?: string) =>
  `unknown: ${fields.join(', ')}${suggestion === undefined ? '' : `; did you mean ${suggestion}?`}`.replace(
    'ü',
    '?',
  );

describe.each(CALLS)('a field that the contract does not have, $where', ({ call, fields, suggestion }) => {
  it('is ignored with a warning header and a journal entry', async () => {
    const { api, control } = await boot();

    const response = await call(api);

    expect([200, 201, 404]).toContain(response.status);
    expect(response.headers['understudy-warnings']).toBe(headerOf(fields, suggestion));
    const entry = await control.get(`/requests/${response.headers['understudy-request-id']}`).expect(200);
    expect(entry.body.validation).toMatchObject({ violations: [], unknown: fields });
  });

  it('is refused in strict mode and changes nothing', async () => {
    const { api, control } = await boot({ strict: true });
    const before = await control.get('/state/hash').expect(200);

    const response = await call(api).expect(400);

    const text = JSON.stringify(response.body);
    for (const field of fields) expect(text).toContain(field.replace('query.', ''));
    if (suggestion !== undefined)
      expect(text).toContain(`the contract has no such field; did you mean ${suggestion}?`);
    expect((await control.get('/state/hash').expect(200)).body).toEqual(before.body);
  });
});

describe('strict mode', () => {
  it('reports unknown fields together with other violations', async () => {
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

  it('accepts metadata, tool params, camelCase, null and an empty body', async () => {
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

  it('applies scenario rules before it refuses unknown fields', async () => {
    const { api, control } = await boot({ strict: true });
    await control.post('/scenarios').send({ name: 'rate-limit-once' }).expect(201);

    await api.post(ORGANIZATIONS).send({ display_name: 'Acme', colour: 'blue' }).expect(429);
    await api.post(ORGANIZATIONS).send({ display_name: 'Acme', colour: 'blue' }).expect(400);
  });
});

describe('an environment', () => {
  const STRANGE = { display_name: 'Acme', colour: 'blue' };

  it('can be strict in a lenient service, and stays strict after a reset and in a fork', async () => {
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

  it('can be lenient in a strict service', async () => {
    const { api, environment } = await boot({ strict: true });
    const lenient = await environment('lenient', { strict: false });
    const ordinary = await environment('ordinary');

    await lenient.api.post(ORGANIZATIONS).send(STRANGE).expect(201);
    await ordinary.api.post(ORGANIZATIONS).send(STRANGE).expect(400);
    await api.post(ORGANIZATIONS).send(STRANGE).expect(400);
  });
});

describe('hints for unknown fields', () => {
  it('suggest only similar names', async () => {
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
  ])('with an unknown field %s is refused in both modes', async (_, path, body, field, hint) => {
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
