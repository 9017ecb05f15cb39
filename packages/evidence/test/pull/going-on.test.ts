import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { boot, type Booted } from '../../../../test/support/boot.ts';
import { outFile, pullFrom } from '../support/pull.ts';

const now = '2026-12-01T09:00:00Z';

const failure = (operation: string, error: string, message: string) => ({
  name: 'fault',
  rules: [{ on: operation, times: 1, reply: { error, message } }],
});

const reply = (operation: string, status: number, body: object) => ({
  name: 'fault',
  rules: [{ on: operation, times: 1, reply: { status, body } }],
});

const setUp = async (scenario?: object): Promise<Booted> => {
  const source = await boot({ fixture: 'small', now, brokenContract: true });
  if (scenario) await source.control.post('/scenarios').send(scenario).expect(201);
  return source;
};

describe('a pull that was broken off', () => {
  it('goes on from what it has read, and writes the same fixture', async () => {
    const source = await setUp();
    const whole = await pullFrom(source);
    await source.control
      .post('/scenarios')
      .send(failure('McpService_ListMcp', 'internal', 'out of order'))
      .expect(201);
    const out = outFile();

    const failed = pullFrom(source, { out });

    await expect(failed).rejects.toThrow(
      `GET /api/v1/mcp answered 500: out of order. The same command goes on from ${out}.partial`,
    );
    expect(existsSync(out)).toBe(false);
    const before = source.own.journal.list().length;
    const again = await pullFrom(source, { out });
    expect(again.text).toBe(whole.text);
    expect(again.told[0]).toMatch(/\.partial has \d+ lists already$/);
    expect(source.own.journal.list().slice(before)).toHaveLength(4);
    expect(existsSync(`${out}.partial`)).toBe(false);
  });

  it('has nothing of a person in the partial file, and reads a line again that was cut off', async () => {
    const source = await setUp(failure('McpService_ListMcp', 'internal', 'out of order'));
    const out = outFile();
    await expect(pullFrom(source, { out })).rejects.toThrow('answered 500');
    const partial = readFileSync(`${out}.partial`, 'utf8');
    writeFileSync(`${out}.partial`, partial.slice(0, -30));

    const { text } = await pullFrom(source, { out });

    expect(partial).not.toMatch(/ada@|Acme|Byrne|crm-acme/);
    expect(text).toBe((await pullFrom(source)).text);
  });

  it('refuses a partial file of a pull with another seed', async () => {
    const source = await setUp(failure('McpService_ListMcp', 'internal', 'out of order'));
    const out = outFile();
    await expect(pullFrom(source, { out })).rejects.toThrow('answered 500');

    await expect(pullFrom(source, { out, seed: '2' })).rejects.toThrow(
      'it is of a pull with another --from, --client-id, --seed or --keep; give the same ones, or remove the file',
    );
  });

  it('says so when it was stopped', async () => {
    const stopped = AbortSignal.abort();

    await expect(pullFrom(await setUp(), {}, stopped)).rejects.toThrow(
      /^the run was stopped\. The same command/,
    );
  });
});

describe('a pull', () => {
  it('fails if a total does not fit', async () => {
    const users = { users: [], total_size: 7, next_page_token: '', prev_page_token: '' };
    const source = await setUp(reply('UserService_ListUsers', 200, users));

    await expect(pullFrom(source)).rejects.toThrow('GET /api/v1/users has 7 rows and its pages have 0');
  });

  it('fails if pages go in a circle', async () => {
    const users = { users: [], total_size: 7, next_page_token: 'again', prev_page_token: '' };
    const scenario = reply('UserService_ListUsers', 200, users);
    const source = await setUp({ ...scenario, rules: [{ ...scenario.rules[0], times: 2 }] });

    await expect(pullFrom(source)).rejects.toThrow('GET /api/v1/users gives the page again twice');
  });

  it('names and leaves out what refers to a row that it has not got', async () => {
    const permissions = { permissions: [], total_size: 0, next_page_token: '', prev_page_token: '' };
    const users = { users: [], total_size: 0, next_page_token: '', prev_page_token: '' };
    const source = await setUp({
      name: 'gaps',
      rules: [
        { on: 'RolesService_ListPermissions', times: 1, reply: { status: 200, body: permissions } },
        { on: 'UserService_ListUsers', times: 1, reply: { status: 200, body: users } },
      ],
    });

    const { rows, told } = await pullFrom(source);

    expect(rows['memberships']).toBeUndefined();
    expect(rows['roles']![0]).toMatchObject({ name: 'admin', permission_ids: [] });
    const lines = told.join('\n');
    expect(lines).toMatch(
      /^memberships mem_\d+: the row is left out: user_id names usr_\d+, and users has no such row$/m,
    );
    expect(lines).toMatch(
      /^roles role_\d+: permission_ids.* left out: permission_ids names perm_\d+, and permissions has no such row$/m,
    );
  });

  it('goes on without a list that the client may not read, and names it', async () => {
    const source = await setUp(
      failure('InterceptorService_ListInterceptors', 'permission_denied', 'not yours'),
    );

    const { rows, told } = await pullFrom(source);

    expect(rows['interceptors']).toBeUndefined();
    expect(told).toContain('not read: GET /api/v1/interceptors answered 403: not yours');
  });

  it('refuses an address with a path, a wrong secret and a file that exists', async () => {
    const source = await setUp();
    const out = outFile();
    writeFileSync(out, '{}');

    await expect(pullFrom('http://localhost:1/api')).rejects.toThrow('--from must be the address');
    await expect(pullFrom(source, { clientSecret: 'wrong' })).rejects.toThrow(
      /^POST \/oauth\/token answered 401 without a token/,
    );
    await expect(pullFrom(source, { out })).rejects.toThrow(`${out} exists; --update merges into it`);
  });
});

describe('--update', () => {
  it('takes over what has changed, and spares what is not of the environment', async () => {
    const source = await setUp();
    const { out, text } = await pullFrom(source);
    const own = JSON.parse(text) as Record<string, Record<string, unknown>[]>;
    own['settings']![0]!['webhook_timeout'] = 500;
    own['tools']![0]!['response'] = { own: true };
    own['deleted_users'] = [{ id: 'usr_10000000000000901', delete_time: '2026-01-01T00:00:00Z' }];
    writeFileSync(out, JSON.stringify(own));
    await source.api.delete('/api/v1/users/usr_10000000000000107').expect(200);
    await source.api
      .patch('/api/v1/organizations/org_10000000000000002')
      .send({ metadata: { plan: 'free' } })
      .expect(200);

    const { rows } = await pullFrom(source, { out, update: true, keep: ['metadata'] });

    expect(rows['users']!.map(({ id }) => id)).not.toContain('usr_10000000000000107');
    expect(rows['organizations']![1]).toMatchObject({ metadata: { plan: 'free' } });
    expect(rows['settings']).toMatchObject([{ webhook_timeout: 500 }]);
    expect(rows['tools']![0]).toMatchObject({ response: { own: true } });
    expect(rows['deleted_users']).toHaveLength(1);
    expect(rows['users']![0]!['email']).toBe(own['users']![0]!['email']);
  });

  it('keeps the rows of a list that the client may no longer read', async () => {
    const source = await setUp();
    const { out, rows: before } = await pullFrom(source);
    expect(before['interceptors']!.length).toBeGreaterThan(0);
    await source.control
      .post('/scenarios')
      .send(failure('InterceptorService_ListInterceptors', 'permission_denied', 'not yours'))
      .expect(201);

    const { rows } = await pullFrom(source, { out, update: true });

    expect(rows['interceptors']).toEqual(before['interceptors']);
  });

  it('changes nothing if nothing has changed', async () => {
    const source = await setUp();
    const { out, text } = await pullFrom(source);

    expect((await pullFrom(source, { out, update: true })).text).toBe(text);
  });

  it('refuses a file that no pull has written', async () => {
    const out = outFile();
    const source = await setUp();
    for (const [content, message] of [
      ['{"include": ["small"]}', 'include: --update takes a file that `understudy pull` has written'],
      ['{"users": [{}]}', 'users: a list of rows with ids'],
      ['[', `${out}: `],
    ] as const) {
      writeFileSync(out, content);
      await expect(pullFrom(source, { out, update: true })).rejects.toThrow(message);
      expect(readFileSync(out, 'utf8')).toBe(content);
    }
  });
});
