import { create } from '@bufbuild/protobuf';
import { ConnectError } from '@connectrpc/connect';
import { describe, expect, it } from 'vitest';
import { boot, bootOnce, type Agent } from '../support/boot.ts';
import { callRpc, grpcTo, METHODS, openFor, told } from '../server/grpc/support.ts';

const ADA = '/api/v1/users/usr_10000000000000101';
const CLIENTS = '/api/v1/organizations/org_10000000000000001/clients';
const { fresh } = bootOnce();

const update = (user_profile: object) => (api: Agent) => api.patch(ADA).send({ user_profile });

/** A field, a value that has the documented form, and values that have not. */
const PROFILE: [field: string, good: string[], bad: string[]][] = [
  [
    'phone_number',
    ['+4915112345678', '+15550100234', ''],
    ['0151 abc', '+0151', '+49 151 1', '+1234567890123456'],
  ],
  ['locale', ['en', 'en-US', 'zh-Hant-TW', ''], ['not a locale!!', 'en_US', 'e', 'x'.repeat(300)]],
  [
    'picture',
    ['https://cdn.example/a.png', 'data:image/png;base64,AA==', ''],
    ['not a url', '/a.png', 'cdn.example/a.png'],
  ],
];
const GOOD = PROFILE.flatMap(([field, good]) => good.map((value) => [field, value] as const));
const BAD = PROFILE.flatMap(([field, , bad]) => bad.map((value) => [field, value] as const));

describe('a value in the documented form', () => {
  it.each(GOOD)('is taken without a warning: %s %j', async (field, value) => {
    const { api } = await fresh({ strict: true });

    const { headers } = await update({ [field]: value })(api).expect(200);

    expect(headers).not.toHaveProperty('understudy-warnings');
  });
});

describe('a value in another form', () => {
  it.each(BAD)('is stored, with a warning and a note: %s %j', async (field, value) => {
    const { api, control } = await fresh();

    const { body, headers } = await update({ [field]: value })(api).expect(200);

    expect(body.user.user_profile[field]).toBe(value);
    expect(headers['understudy-warnings']).toBe(`format: user_profile.${field}`);
    const { body: entry } = await control.get(`/requests/${headers['understudy-request-id']}`).expect(200);
    expect(entry.notes).toEqual([expect.stringContaining(`user_profile.${field} should be a`)]);
    expect(entry.validation).toEqual({ violations: [], unknown: [] });
  });

  it.each(BAD)('is refused in strict mode and changes nothing: %s %j', async (field, value) => {
    const { api } = await fresh({ strict: true });
    const before = await api.get(ADA).expect(200);

    const { body } = await update({ [field]: value })(api).expect(400);

    expect(body.details[0].validation_error_info.field_violations).toEqual([
      {
        field: `user_profile.${field}`,
        description: expect.stringMatching(/^value must be a .*, such as /),
        constraint: 'string.format',
      },
    ]);
    expect((await api.get(ADA).expect(200)).body).toEqual(before.body);
  });

  it('is named in elements of a list, beside unknown fields', async () => {
    const { api } = await fresh();
    const wanted = { name: 'Billing', audience: ['https://api.example', 'billing'], colour: 'blue' };

    const { headers } = await api.post(CLIENTS).send(wanted).expect(201);

    expect(headers['understudy-warnings']).toBe('unknown: colour; format: audience[1]');
  });

  it('is warned about when a user is created', async () => {
    const { api } = await fresh();
    const user = {
      email: 'zoe@acme.example',
      user_profile: { locale: 'Deutsch (Berlin)', phone_number: '911' },
    };

    const { headers } = await api
      .post('/api/v1/organizations/org_10000000000000001/users')
      .send(user)
      .expect(201);

    expect(headers['understudy-warnings']).toBe('format: user_profile.locale, user_profile.phone_number');
  });
});

describe('a value in another form over gRPC', () => {
  const METHOD = METHODS.get('UserService_UpdateUser')!;
  const USER = { id: 'usr_10000000000000101', user: { userProfile: { phoneNumber: '0151 abc' } } };

  async function call(strict: boolean) {
    const booted = await boot({ strict });
    const transport = grpcTo(await openFor(booted.understudy));
    const message = create(METHOD.input, {
      identities: { case: 'id', value: USER.id },
      user: USER.user,
    } as never);
    const heard = await callRpc(transport, METHOD, message, { authorization: `Bearer ${booted.token}` });
    const { body } = await booted.control.get('/requests?operation=UserService_UpdateUser').expect(200);
    return { heard, entry: body.requests[0] };
  }

  it('is stored, with a warning and a note', async () => {
    const { heard, entry } = await call(false);

    expect(heard).toMatchObject({ user: { userProfile: { phoneNumber: '0151 abc' } } });
    expect(entry).toMatchObject({
      protocol: 'grpc',
      notes: [expect.stringContaining('phone_number should be')],
    });
    expect(entry.response.headers['understudy-warnings']).toBe('format: user_profile.phone_number');
  });

  it('is refused in strict mode', async () => {
    const { heard } = await call(true);

    const [info] = told(heard as ConnectError).infos;
    expect(info?.validationErrorInfo?.fieldViolations).toMatchObject([
      { field: 'user_profile.phone_number', constraint: 'string.format' },
    ]);
  });
});

describe('the fixtures', () => {
  it.each(['default', 'small', 'sso', 'demo'])('%s has profiles in the documented form', async (fixture) => {
    const { api, control } = await fresh({ fixture, strict: true });
    const { body } = await control.get('/state/users').expect(200);

    for (const { id, user_profile } of body.rows) {
      const { phone_number = '', locale = '', picture = '' } = user_profile;
      await api
        .patch(`/api/v1/users/${id}`)
        .send({ user_profile: { phone_number, locale, picture } })
        .expect(200);
    }
  });
});
