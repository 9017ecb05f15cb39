import { describe, expect, it } from 'vitest';
import type { FieldViolation } from '../../../src/contract/errors.ts';
import { boot, type Agent } from '../../support/boot.ts';
import { receiver } from '../../support/receiver.ts';
import {
  failure,
  noPrefix,
  notFound,
  refusal,
  required,
  tooLong,
  tooShort,
} from '../../support/violations.ts';
import { latest } from '../../interceptors/support.ts';

const PATH = '/api/v1/interceptors';
const NOON = '2030-01-01T12:00:00.000Z';
const ON = 'icp_10000000000000901';
const OFF = 'icp_10000000000000902';
const SIGNUP = {
  display_name: 'Known domains only',
  trigger_point: 'PRE_SIGNUP',
  api_url: 'https://app.example.com/signup',
};
const KEY = {
  auth_config: { auth_config_type: 'API_KEY', api_key: { api_key: 'k-secret', header_name: 'x-key' } },
};
const OAUTH = {
  auth_config: {
    auth_config_type: 'OAUTH2',
    oauth2: { token_url: 'https://app.example.com/token', client_id: 'c', client_secret: 'o-secret' },
  },
};

const create = async (api: Agent, body: object = {}) =>
  (
    await api
      .post(PATH)
      .send({ ...SIGNUP, ...body })
      .expect(200)
  ).body.interceptor;
const get = async (api: Agent, id: string) => (await api.get(`${PATH}/${id}`).expect(200)).body.interceptor;
const list = async (api: Agent, query = '') => (await api.get(`${PATH}${query}`).expect(200)).body;
const ids = (body: { interceptors: { id: string }[] }) => body.interceptors.map(({ id }) => id);
const refused = (message: string) => failure(9, 'FAILED_PRECONDITION', message);

describe('InterceptorService_CreateInterceptor', () => {
  it('creates a disabled interceptor with default values', async () => {
    const { api, control } = await boot({ now: NOON });

    const interceptor = await create(api);

    const { id, secret_id, secret_suffix } = interceptor;
    expect(interceptor).toEqual({
      ...SIGNUP,
      id: expect.stringMatching(/^icp_\d{17,}$/),
      description: '',
      interceptor_type: 'AUTH',
      timeout_ms: '10000',
      failure_policy: 'FAIL_CLOSED',
      secret_id: expect.stringMatching(/^sec_/),
      secret_suffix: expect.stringMatching(/^\w{4}$/),
      enabled: false,
      created_at: NOON,
      updated_at: NOON,
    });
    expect(await get(api, id)).toEqual(interceptor);
    const { body } = await control.get(`/state/interceptors/${id}`).expect(200);
    expect(body).toMatchObject({ secret_id, secret: expect.stringMatching(/^whsec_[A-Za-z0-9]{32}$/) });
    expect(body.secret.endsWith(secret_suffix)).toBe(true);
  });

  it('stores all given fields', async () => {
    const { api } = await boot();
    const wanted = {
      description: 'd',
      interceptor_type: 'AUTH',
      timeout_ms: '100',
      failure_policy: 'FAIL_OPEN',
      request_template: '{}',
      response_template: '',
      config: KEY,
    };

    expect(await create(api, wanted)).toMatchObject(wanted);
  });

  it.each([
    ['API key', KEY, 'k-secret', { api_key: { api_key: '', header_name: 'x-key' } }],
    ['client secret', OAUTH, 'o-secret', { oauth2: { client_id: 'c', client_secret: '', scope: '' } }],
  ])('never returns the %s after the creation', async (_, config, secret, hidden) => {
    const { api } = await boot();
    const created = await create(api, { config });
    const { id } = created;

    const later = [
      await api.get(`${PATH}/${id}`),
      await api.get(PATH),
      await api.patch(`${PATH}/${id}`).send({ config }),
    ];

    expect(JSON.stringify(created)).toContain(secret);
    for (const { status, text } of later) expect([status, text.includes(secret)]).toEqual([200, false]);
    expect((await get(api, id)).config).toMatchObject({ auth_config: hidden });
  });

  it.each([100, 30000, '100', '9999', '29999', '30000'])(
    'accepts a timeout of %j milliseconds',
    async (timeout_ms) => {
      const { api } = await boot();

      expect(await create(api, { timeout_ms })).toMatchObject({ timeout_ms: String(timeout_ms) });
    },
  );

  it.each([99, 30001, '99', '30001', '0100', '1e3', 'soon', 1.5])(
    'refuses a timeout of %j milliseconds',
    async (timeout_ms) => {
      const { api } = await boot();

      const answer = await api
        .post(PATH)
        .send({ ...SIGNUP, timeout_ms })
        .expect(400);

      const violations = answer.body.details[0].validation_error_info.field_violations;
      expect(violations[0].field).toBe('interceptor.timeout_ms');
    },
  );

  const within = (auth_config: object) => ({ ...SIGNUP, config: { auth_config } });
  const refusals: [title: string, body: object, ...violations: FieldViolation[]][] = [
    ['nothing', {}, required('interceptor.trigger_point'), tooShort(1)('interceptor.display_name')],
    ['an empty name', { ...SIGNUP, display_name: '' }, tooShort(1)('interceptor.display_name')],
    [
      'a long description',
      { ...SIGNUP, description: 'x'.repeat(1025) },
      tooLong(1024)('interceptor.description'),
    ],
    [
      'a missing API key',
      within({ auth_config_type: 'API_KEY' }),
      required('interceptor.config.auth_config.api_key'),
    ],
    [
      'an API key instead of OAuth2 settings',
      within({ ...KEY.auth_config, auth_config_type: 'OAUTH2' }),
      required('interceptor.config.auth_config.oauth2'),
    ],
    [
      'a missing auth_config_type',
      within({ api_key: KEY.auth_config.api_key }),
      required('interceptor.config.auth_config.auth_config_type'),
    ],
  ];
  it.each(refusals)('refuses %s', async (_, body, ...violations) => {
    const { api } = await boot();

    const answer = await api.post(PATH).send(body).expect(400);

    expect(answer.body).toEqual(refusal(...violations));
  });

  it.each(['app.example.com/signup', 'ftp://app.example.com', 'javascript:alert(1)', '/signup'])(
    'refuses the address %s',
    async (api_url) => {
      const { api } = await boot();

      const answer = await api
        .post(PATH)
        .send({ ...SIGNUP, api_url })
        .expect(400);

      const description = 'value must be an http or https address';
      expect(answer.body).toEqual(
        refusal({ field: 'interceptor.api_url', description, constraint: 'string.uri' }),
      );
    },
  );

  it('accepts plain http and duplicates of name and trigger point', async () => {
    const { api } = await boot();
    const api_url = 'http://app:3000/signup';

    const created = [await create(api, { api_url }), await create(api, { api_url })];

    expect(new Set(created.map(({ id }) => id)).size).toBe(2);
  });
});

describe('InterceptorService_ListInterceptors', () => {
  it('lists interceptors newest first, in pages', async () => {
    const { api } = await boot();
    const { id } = await create(api);

    const first = await list(api, '?page_size=2');
    const last = await list(api, `?page_size=2&page_token=${first.next_page_token}`);
    const back = await list(api, `?page_size=2&page_token=${last.prev_page_token}`);

    expect([first, last, back].map(ids)).toEqual([[id, OFF], [ON], [id, OFF]]);
    expect(first).toMatchObject({ total_size: 3, prev_page_token: '' });
    expect(last.next_page_token).toBe('');
  });

  it.each([
    ['trigger_point=PRE_SIGNUP', [OFF]],
    ['trigger_point=PRE_USER_INVITATION', []],
    ['enabled=true', [ON]],
    ['enabled=false', [OFF]],
    ['enabled=true&trigger_point=PRE_SIGNUP', []],
    ['', [OFF, ON]],
  ])('filters by %s and counts only the matches', async (query, expected) => {
    const { api } = await boot();

    const body = await list(api, `?${query}`);

    expect([ids(body), body.total_size]).toEqual([expected, expected.length]);
  });

  it.each(['TRIGGER_POINT_UNSPECIFIED', 'pre_signup'])('refuses the trigger point %s', async (trigger) => {
    const { api } = await boot();

    const answer = await api.get(`${PATH}?trigger_point=${trigger}`).expect(400);

    const [violation] = answer.body.details[0].validation_error_info.field_violations;
    expect(violation).toMatchObject({ field: 'trigger_point', constraint: 'string.in' });
  });
});

describe('InterceptorService_UpdateInterceptor', () => {
  it.each([
    [{ display_name: 'New' }],
    [{ description: '' }],
    [{ trigger_point: 'ACCESS_TOKEN_CREATION' }],
    [{ api_url: 'https://new.example.com' }],
    [{ timeout_ms: '500' }],
    [{ failure_policy: 'FAIL_CLOSED' }],
    [{ request_template: '{ a: 1 }', response_template: '{}' }],
    [{ config: {} }],
  ])('changes only the given fields: %j', async (body) => {
    const { api } = await boot({ now: NOON });
    const before = await get(api, ON);

    const answer = await api.patch(`${PATH}/${ON}`).send(body).expect(200);

    expect(answer.body).toEqual({ interceptor: { ...before, ...body, updated_at: NOON } });
    expect(await get(api, ON)).toEqual(answer.body.interceptor);
  });

  it('ignores an empty name or address', async () => {
    const { api } = await boot({ now: NOON });
    const before = await get(api, ON);

    const answer = await api.patch(`${PATH}/${ON}`).send({ display_name: '', api_url: '' }).expect(200);

    expect(answer.body.interceptor).toEqual({ ...before, updated_at: NOON });
  });

  it('refuses an invalid address', async () => {
    const { api } = await boot();

    await api.patch(`${PATH}/${ON}`).send({ api_url: 'nowhere' }).expect(400);

    expect((await get(api, ON)).api_url).toBe('https://app.example.com/interceptors/login');
  });
});

describe('InterceptorService_EnableInterceptor and InterceptorService_DisableInterceptor', () => {
  it.each([
    [OFF, 'enable', true],
    [ON, 'disable', false],
  ])('sets enabled of %s with %s', async (id, verb, enabled) => {
    const { api } = await boot({ now: NOON });

    const answer = await api.patch(`${PATH}/${id}:${verb}`).expect(200);

    expect(answer.body).toEqual({});
    expect(await get(api, id)).toMatchObject({ enabled, updated_at: NOON });
  });

  it.each([
    [ON, 'enable'],
    [OFF, 'disable'],
  ])('leaves %s unchanged when it already has that state: %s', async (id, verb) => {
    const { api } = await boot({ now: NOON });
    const before = await get(api, id);

    await api.patch(`${PATH}/${id}:${verb}`).send({}).expect(200);

    expect(await get(api, id)).toEqual(before);
  });

  it('refuses to enable an interceptor without api_url', async () => {
    const { api } = await boot();
    const { id, api_url } = await create(api, { api_url: null });

    const answer = await api.patch(`${PATH}/${id}:enable`).expect(400);

    expect(api_url).toBe('');
    expect(answer.body).toEqual(refused(`interceptor ${id} has no api_url`));
  });
});

describe('InterceptorService_TestInterceptor', () => {
  it.each([true, false])(
    'sends the data to an interceptor (enabled: %s) and changes no state',
    async (enabled) => {
      const { api, control } = await boot();
      const interceptor = await receiver({ decision: 'DENY', error: { message: 'no' }, more: 1 });
      const { id } = await create(api, { api_url: interceptor.url });
      if (enabled) await api.patch(`${PATH}/${id}:enable`).expect(200);
      const state = async () => (await control.get('/state').expect(200)).body;
      const before = await state();
      const data = { any: ['thing'], that: { is: 'sent' } };

      const answer = await api.post(`${PATH}/${id}/test`).send(data).expect(200);

      const interceptor_response = { decision: 'DENY', error: { message: 'no' }, more: 1 };
      expect(answer.body).toEqual({ interceptor_response });
      expect(interceptor.received.map(({ body }) => body)).toEqual([data]);
      expect(await state()).toEqual(before);
      expect((await latest(control)).interceptors).toBeUndefined();
    },
  );

  it('answers the contract violations of the response', async () => {
    const { api } = await boot();
    const interceptor = await receiver({ decision: 'PERHAPS' });
    const { id } = await create(api, { api_url: interceptor.url, failure_policy: 'FAIL_OPEN' });

    const { body } = await api.post(`${PATH}/${id}/test`).send({}).expect(200);

    const violation = { field: 'decision', description: expect.any(String), constraint: 'enum' };
    expect(body).toEqual({
      interceptor_response: { decision: 'PERHAPS' },
      validation_error: { field_violations: [violation] },
      error: {
        code: 'INVALID_RESPONSE',
        message: expect.stringContaining('decision must be equal to one of'),
        details: { status: 200 },
      },
    });
  });

  it('answers UNREACHABLE when nothing listens at the address', async () => {
    const { api } = await boot();
    const { id } = await create(api, { api_url: 'http://127.0.0.1:1/' });

    const { body } = await api.post(`${PATH}/${id}/test`).send({}).expect(200);

    const message = expect.stringMatching(/^http:\/\/127.0.0.1:1\/ cannot be reached: .*ECONNREFUSED/);
    expect(body).toEqual({ error: { code: 'UNREACHABLE', message } });
  });

  it('answers API_URL_MISSING when the interceptor has no address', async () => {
    const { api } = await boot();
    const { id } = await create(api, { api_url: null });

    const answer = await api.post(`${PATH}/${id}/test`).send({}).expect(200);

    const message = `interceptor ${id} has no api_url`;
    expect(answer.body).toEqual({ error: { code: 'API_URL_MISSING', message } });
  });

  it('requires a body', async () => {
    const { api } = await boot();

    const answer = await api.post(`${PATH}/${ON}/test`).expect(400);

    expect(answer.body).toEqual(refusal(required('data')));
  });
});

describe('InterceptorService_DeleteInterceptor', () => {
  it('deletes the interceptor and keeps its events', async () => {
    const { api } = await boot();

    const answer = await api.delete(`${PATH}/${ON}`).expect(200);

    expect(answer.body).toEqual({});
    expect(ids(await list(api))).toEqual([OFF]);
    const { body } = await api.post('/api/v1/events/paginated').send({ interceptor_id: ON }).expect(200);
    expect(body.events).toHaveLength(1);
  });
});

describe('an unknown interceptor', () => {
  const calls: ['get' | 'patch' | 'delete' | 'post', string][] = [
    ['get', ''],
    ['patch', ''],
    ['patch', ':enable'],
    ['patch', ':disable'],
    ['post', '/test'],
    ['delete', ''],
  ];

  it.each(calls)('answers 404 to %s %s', async (verb, rest) => {
    const { api } = await boot();

    const answer = await api[verb](`${PATH}/icp_9${rest}`).send({}).expect(404);

    expect(answer.body).toEqual(notFound('interceptor icp_9 not found'));
  });

  it.each(calls)('requires the prefix of the id: %s %s', async (verb, rest) => {
    const { api } = await boot();

    const answer = await api[verb](`${PATH}/ipc_9${rest}`).send({});

    const expected =
      verb === 'delete' ? notFound('interceptor ipc_9 not found') : refusal(noPrefix('icp_')('id'));
    expect(answer.body).toEqual(expected);
  });
});

describe('The header of an API key', () => {
  it.each([
    ['name', { header_name: 'x-key\r\nx-evil', api_key: 'k' }],
    ['name', { header_name: 'x key', api_key: 'k' }],
    ['value', { header_name: 'x-key', api_key: 'k\r\nx-evil: 1' }],
  ])('must be one that HTTP allows: %s %j', async (_, api_key) => {
    const { api } = await boot();
    const config = { auth_config: { auth_config_type: 'API_KEY', api_key } };

    const { body } = await api
      .post('/api/v1/interceptors')
      .send({ ...SIGNUP, config })
      .expect(400);

    expect(body.message).toBe('Validation error');
  });
});
