import { execFileSync, spawnSync } from 'node:child_process';
import { appendFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fromJson } from '@bufbuild/protobuf';
import { Code, ConnectError } from '@connectrpc/connect';
import { describe, expect, it } from 'vitest';
import { callRpc, grpcTo, METHODS } from '../server/grpc/support.ts';
import { eventually, makeFolder, serve, type Service } from '../support/process.ts';

/** Only Linux can limit the file size of a running process. */
const HAS_PRLIMIT = spawnSync('prlimit', ['--version']).status === 0;

/** Limits the size of the process's files: further writes fail as on a full disk. */
function limitFiles({ pid }: Service, bytes: number | 'unlimited'): void {
  execFileSync('prlimit', ['--pid', String(pid), `--fsize=${bytes}:unlimited`]);
}

/** Limits the log to this many more bytes. */
function fillDisk(service: Service, data: string, bytes: number): void {
  limitFiles(service, statSync(join(data, 'default.log')).size + bytes);
}

const start = (data: string) => serve(['--data', data, '--fixture', 'empty']);

const startWithin = (data: string, bytes: number) =>
  serve(['--data', data, '--fixture', 'empty'], { under: ['prlimit', `--fsize=${bytes}:unlimited`] });

async function create(service: Service, display_name: string) {
  const api = await service.login();
  return api.post('/api/v1/organizations').send({ display_name });
}

/** stderr arrives independently of the responses. */
const told = ({ stderr }: Service, line: string) => eventually(stderr, (text) => text.includes(line));

async function signedIn({ anonymous, client_id, client_secret }: Service): Promise<{ token: string }> {
  const form = { grant_type: 'client_credentials', client_id, client_secret };
  const { body } = await anonymous.post('/oauth/token').type('form').send(form).expect(200);
  return { token: body.access_token };
}

/** Makes the same call over gRPC. */
async function refusedRpc({ url }: Service, token: string) {
  const method = METHODS.get('OrganizationService_CreateOrganization')!;
  const message = fromJson(method.input, { organization: { display_name: 'Refused' } });
  const answer = await callRpc(grpcTo(url), method, message, { authorization: `Bearer ${token}` });
  return answer instanceof ConnectError ? { code: answer.code, message: answer.rawMessage } : answer;
}

async function namesIn({ control }: Service): Promise<string[]> {
  const { body } = await control.get('/state/organizations').expect(200);
  return body.rows.map(({ display_name }: { display_name: string }) => display_name);
}

const hashOf = async ({ control }: Service): Promise<string> =>
  (await control.get('/state/hash').expect(200)).body.hash;

async function killed(service: Service): Promise<void> {
  service.kill('SIGKILL');
  await service.exited;
}

describe.runIf(HAS_PRLIMIT)('a disk that becomes full while the process runs', () => {
  it('is named in the response and in the log, and the refused call changes nothing', async () => {
    const data = makeFolder();
    const service = await start(data);
    expect((await create(service, 'Before')).status).toBe(201);
    const login = await signedIn(service);
    const before = await hashOf(service);
    fillDisk(service, data, 20);

    const refused = await service.anonymous
      .post('/api/v1/organizations')
      .set('authorization', `Bearer ${login.token}`)
      .send({ display_name: 'Refused' });

    const reason = `${join(data, 'default.log')}: EFBIG: file too large, write`;
    const message = `the change was not stored, and nothing has changed: ${reason}`;
    expect(refused.status).toBe(503);
    expect(refused.body).toMatchObject({ code: 14, message, details: [{ error_code: 'UNAVAILABLE' }] });
    await told(service, `error: POST /api/v1/organizations: ${reason}\n`);
    expect(service.stderr()).not.toContain('    at ');
    expect(await refusedRpc(service, login.token)).toEqual({ code: Code.Unavailable, message });
    expect(await hashOf(service)).toBe(before);
    expect(await namesIn(service)).toEqual(['Before']);
  });

  it('accepts writes again when there is space, and a restart does not bring back refused writes', async () => {
    const data = makeFolder();
    const service = await start(data);
    fillDisk(service, data, 20);
    expect((await create(service, 'Refused')).status).toBe(503);
    limitFiles(service, 'unlimited');

    expect((await create(service, 'Afterwards')).status).toBe(201);
    await killed(service);

    const again = await start(data);
    expect(await namesIn(again)).toEqual(['Afterwards']);
    expect(again.stderr()).not.toContain('warn: ');
  });

  it('refuses control API calls with the same message, and the clock does not move', async () => {
    const data = makeFolder();
    const service = await start(data);
    await service.control.put('/clock').send({ mode: 'frozen', at: '2030-01-01T00:00:00Z' }).expect(200);
    const { body: state } = await service.control.get('/state').expect(200);
    fillDisk(service, data, 0);

    const { body } = await service.control.post('/clock/advance').send({ by: '1h' }).expect(503);
    await service.control.post('/reset').expect(503);
    await service.control.put('/state').send(state).expect(503);
    await service.control.post('/environments').send({ name: 'kept', persist: true }).expect(503);

    expect(body.message).toContain('default.log: EFBIG: file too large');
    expect((await service.control.get('/clock').expect(200)).body.now).toBe('2030-01-01T00:00:00.000Z');
    await service.control.get('/environments/kept').expect(404);
  });

  it('allows loading a scenario without state, and refuses unloading one that needs a write', async () => {
    const data = makeFolder();
    const service = await start(data);
    const changing = {
      name: 'changing',
      restore: true,
      clock: { mode: 'frozen', at: '2031-01-01T00:00:00Z' },
    };
    await service.control.post('/scenarios').send(changing).expect(201);
    fillDisk(service, data, 0);

    const rules = [{ on: 'OrganizationService_ListOrganization', reply: { error: 'unavailable' } }];
    await service.control.post('/scenarios').send({ name: 'rules', rules }).expect(201);
    await service.control.delete('/scenarios/changing').expect(503);

    const { body } = await service.control.get('/scenarios').expect(200);
    expect(body.loaded.map(({ name }: { name: string }) => name)).toEqual(['changing', 'rules']);
  });

  it('lets calls read rows with a passed deadline, and changes the rows when there is space', async () => {
    const data = makeFolder();
    const service = await start(data);
    await service.control.put('/clock').send({ mode: 'frozen', at: '2030-01-01T00:00:00Z' }).expect(200);
    const api = await service.login();
    const email = { email: 'ada@acme.example' };
    await api.post('/api/v1/passwordless/email/send').send(email).expect(200);
    const size = statSync(join(data, 'default.log')).size;
    await service.control.put('/clock').send({ mode: 'frozen', at: '2030-01-01T00:00:01Z' }).expect(200);
    // There is space for the new time, but not for the rows that expire.
    fillDisk(service, data, statSync(join(data, 'default.log')).size - size + 50);
    await service.control.put('/clock').send({ mode: 'frozen', at: '2030-01-02T00:00:00Z' }).expect(503);

    const later = await service.login();
    await later.get('/api/v1/organizations').expect(200);
    const { body: seen } = await service.control.get('/state/passwordless_requests').expect(200);
    expect(seen.rows[0].status).toBe('PENDING');
    expect((await create(service, 'Refused')).status).toBe(503);
    limitFiles(service, 'unlimited');

    const { body } = await service.control.get('/state/passwordless_requests').expect(200);
    expect(body.rows[0].status).toBe('EXPIRED');
  });

  it('lets rules count, and stores their counts with the next change when there is space', async () => {
    const data = makeFolder();
    const service = await start(data);
    const rule = { on: 'OrganizationService_ListOrganization', times: 2, reply: { error: 'gone' } };
    await service.control
      .post('/scenarios')
      .send({ name: 'counting', rules: [rule] })
      .expect(201);
    const api = await service.login();
    fillDisk(service, data, 20);

    await api.get('/api/v1/organizations').expect(410);
    limitFiles(service, 'unlimited');
    expect((await create(service, 'Afterwards')).status).toBe(201);
    await killed(service);

    const again = await start(data);
    expect((await again.control.get('/scenarios/counting')).body.rules[0]).toMatchObject({ remaining: 1 });
  });
});

describe.runIf(HAS_PRLIMIT)('starting on a full disk', () => {
  it('serves the stored state, refuses changes with the reason, and accepts them when there is space', async () => {
    const data = makeFolder();
    const first = await start(data);
    await create(first, 'In the file');
    await first.stop();
    const second = await start(data);
    await create(second, 'In the log');
    await killed(second);

    const third = await startWithin(data, 100);
    expect(await namesIn(third)).toEqual(['In the file', 'In the log']);
    expect((await create(third, 'Refused')).body.message).toMatch(/not stored.*EFBIG: file too large/);
    await told(third, 'Understudy serves calls that change nothing, and refuses others');
    limitFiles(third, 'unlimited');
    expect((await create(third, 'Afterwards')).status).toBe(201);
    await killed(third);

    const fourth = await start(data);
    expect(await namesIn(fourth)).toEqual(['In the file', 'In the log', 'Afterwards']);
  });

  it('stops cleanly and loses nothing', async () => {
    const data = makeFolder();
    const first = await start(data);
    await create(first, 'Northwind');
    await killed(first);

    const { code } = await (await startWithin(data, 100)).stop();

    expect(code).toBe(0);
    expect(await namesIn(await start(data))).toEqual(['Northwind']);
  });

  it('ignores an incomplete last line', async () => {
    const data = makeFolder();
    const first = await start(data);
    await create(first, 'Northwind');
    await killed(first);
    appendFileSync(join(data, 'default.log'), '{"position":99,"changes":[{"collection":"organ');

    const second = await startWithin(data, 100);
    expect(await namesIn(second)).toEqual(['Northwind']);
    limitFiles(second, 'unlimited');
    expect((await create(second, 'Afterwards')).status).toBe(201);
    await killed(second);

    const third = await start(data);
    expect(await namesIn(third)).toEqual(['Northwind', 'Afterwards']);
    expect(third.stderr()).not.toContain('warn: ');
  });
});
