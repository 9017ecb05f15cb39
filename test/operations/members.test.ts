import { create } from '@bufbuild/protobuf';
import { describe, expect, it } from 'vitest';
import { callRpc, grpcTo, METHODS, openFor } from '../server/grpc/support.ts';
import { bootOnce, type Agent } from '../support/boot.ts';

const { fresh } = bootOnce();
const PATH = '/api/v1/members';
/** The number in the .proto files. */
const PENDING_INVITE = 3;
const add = (api: Agent, email: string, more: object = {}) => api.post(PATH).send({ email, ...more });

describe('the members of the workspace', () => {
  it('are invited, and listed as the MCP server of the vendor lists them', async () => {
    const { api } = await fresh();

    const { body } = await add(api, 'ines@acme.example', { role: 'ADMIN', first_name: 'Ines' }).expect(200);
    const list = await api.get(`${PATH}?page_size=500&page_token=1`).set('x-env-domain', 'acme').expect(200);

    expect(body.member).toMatchObject({
      id: expect.stringMatching(/^mem_\d+$/),
      email: 'ines@acme.example',
      role: 'ADMIN',
      first_name: 'Ines',
      organizations: [{ membership_status: 'PENDING_INVITE' }],
    });
    expect(list.body).toEqual({ next_page_token: '', total_size: 1, members: [body.member] });
    expect(list.headers).not.toHaveProperty('understudy-warning');
  });

  it('come page by page', async () => {
    const { api } = await fresh();
    for (const name of ['a', 'b', 'c']) await add(api, `${name}@acme.example`).expect(200);
    const page = async (query: string) => {
      const { body } = await api.get(`${PATH}?page_size=2${query}`).expect(200);
      return [body.members.map(({ email }: { email: string }) => email[0]).join(''), body.next_page_token];
    };

    expect(await page('')).toEqual(['ab', '2']);
    expect(await page('&page_token=0')).toEqual(['ab', '2']);
    expect(await page('&page_token=2')).toEqual(['c', '']);
    expect(await page('&page_token=3')).toEqual(['', '']);
    await api.get(`${PATH}?page_token=next`).expect(400);
  });

  it('have an address of their own', async () => {
    const { api } = await fresh();
    await add(api, 'ines@acme.example').expect(200);

    const { body } = await add(api, 'Ines@acme.example').expect(409);
    await add(api, 'ines').expect(400);
    await api.post(PATH).send({}).expect(400);

    expect(body.message).toBe('member Ines@acme.example exists already');
    expect((await api.get(PATH).expect(200)).body.total_size).toBe(1);
  });

  it('are rows like others, and go with a reset', async () => {
    const { api, control } = await fresh();
    const row = { id: 'mem_7', email: 'tom@acme.example', workspace_id: 'wks_1' };
    await control.put('/state/members/mem_7').send(row).expect(200);

    const { body } = await api.get(PATH).expect(200);
    await control.post('/reset').expect(204);

    expect(body.members).toMatchObject([
      { ...row, role: 'USER', organizations: [{ organization_id: 'wks_1', membership_status: 'ACTIVE' }] },
    ]);
    expect((await api.get(PATH).expect(200)).body.members).toEqual([]);
  });

  it('are the same over gRPC', async () => {
    const { token, understudy } = await fresh();
    const client = grpcTo(await openFor(understudy));
    const call = (name: string, message: object) => {
      const method = METHODS.get(name)!;
      const headers = { authorization: `Bearer ${token}` };
      return callRpc(client, method, create(method.input, message as never), headers);
    };

    const made = await call('MembersService_CreateMember', {
      member: { email: 'ines@acme.example', role: 1 },
    });

    expect(made).toMatchObject({ member: { email: 'ines@acme.example', role: 1 } });
    expect(await call('MembersService_ListMembers', {})).toMatchObject({
      totalSize: 1,
      members: [{ email: 'ines@acme.example', organizations: [{ membershipStatus: PENDING_INVITE }] }],
    });
  });
});
