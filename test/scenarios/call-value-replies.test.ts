import { create } from '@bufbuild/protobuf';
import type { ConnectError } from '@connectrpc/connect';
import { describe, expect, it } from 'vitest';
import { boot, bootOnce, type Booted } from '../support/boot.ts';
import { callRpc, grpcTo, METHODS, openFor, told } from '../server/grpc/support.ts';
import { ACME } from '../support/fixture-ids.ts';

const GET = 'OrganizationService_GetOrganization';
const { fresh } = bootOnce();

async function loaded(rule: object, path = `/api/v1/organizations/${ACME}`, on: unknown = GET) {
  const booted = await fresh();
  await booted.control
    .post('/scenarios')
    .send({ name: 'values', rules: [{ on, ...rule }] })
    .expect(201);
  return { booted, answer: await booted.api.get(path) };
}

const own = (more: object) => ({ reply: { status: 200, contract: 'violated', ...more } });
const failing = (more: object) => ({ reply: { error: 'not_found', ...more } });
const violation = { field: '${path.id}', description: 'bad ${path.id}', constraint: '${path.id}' };

/** Every member of a rule that may refer to the call, and where the answer has the value. */
const KINDS: [
  member: string,
  rule: object,
  found: (answer: { body: never; headers: never; text: string }) => unknown,
  expected: unknown,
][] = [
  ['message of reply', failing({ message: 'no ${path.id}' }), ({ body }) => body['message'], `no ${ACME}`],
  [
    'headers of a failure',
    failing({ headers: { 'x-id': '${path.id}' } }),
    ({ headers }) => headers['x-id'],
    ACME,
  ],
  [
    'headers of an answer',
    own({ headers: { 'x-id': 'a ${path.id}' }, body: {} }),
    ({ headers }) => headers['x-id'],
    `a ${ACME}`,
  ],
  ['body of reply, as a text', own({ body: 'of ${path.id}' }), ({ text }) => text, `of ${ACME}`],
  ['body of reply, as a member', own({ body: { id: '${path.id}' } }), ({ body }) => body['id'], ACME],
  [
    'body of reply, in a list',
    own({ body: { ids: ['${path.id}', { id: '${path.id}' }] } }),
    ({ body }) => body['ids'],
    [ACME, { id: ACME }],
  ],
  [
    'patch',
    { patch: { organization: { display_name: '${path.id}' } } },
    ({ body }) => body['organization']['display_name'],
    ACME,
  ],
  [
    'violations of reply',
    { reply: { error: 'invalid_argument', violations: [violation] } },
    ({ body }) => body['details'][0]['validation_error_info']['field_violations'],
    [{ field: ACME, description: `bad ${ACME}`, constraint: ACME }],
  ],
  [
    'tool of reply',
    { reply: { error: 'internal', tool: { code: '${path.id}', message: 'of ${path.id}' } } },
    ({ body }) => body['details'][0]['tool_error_info']['tool_error_message'],
    `of ${ACME}`,
  ],
];

describe('${path.id}', () => {
  it.each(KINDS)('has its value in %s', async (_, rule, found, expected) => {
    const { answer } = await loaded(rule);

    expect(found(answer as never)).toEqual(expected);
  });

  it('has its value in do', async () => {
    const edit = { match: { id: '${path.id}' }, set: { external_id: 'is ${path.id}' } };
    const { answer } = await loaded({ do: { organizations: [edit] } });

    expect(answer.body.organization.external_id).toBe(`is ${ACME}`);
  });

  it('has its value for each path of an operation, and over gRPC', async () => {
    const rule = {
      on: 'UserService_GetUser',
      reply: { error: 'not_found', message: 'no ${path.id}${path.external_id}' },
    };
    const booted: Booted = await boot();
    await booted.control
      .post('/scenarios')
      .send({ name: 'values', rules: [rule] })
      .expect(201);
    const method = METHODS.get('UserService_GetUser')!;
    const message = create(method.input, { identities: { case: 'id', value: 'usr_7' } } as never);

    const byId = await booted.api.get('/api/v1/users/usr_7').expect(404);
    const byExternalId = await booted.api.get('/api/v1/users:external/crm-7').expect(404);
    const transport = grpcTo(await openFor(booted.understudy));
    const heard = await callRpc(transport, method, message, { authorization: `Bearer ${booted.token}` });

    const messages = [byId.body.message, byExternalId.body.message, told(heard as ConnectError).message];
    expect(messages).toEqual(['no usr_7', 'no crm-7', 'no usr_7']);
  });
});
