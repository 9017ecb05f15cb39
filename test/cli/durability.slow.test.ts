import { readFileSync, statSync, truncateSync, writeFileSync, appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeFolder, run, serve, type Service } from '../support/process.ts';

const NORTHWIND = { display_name: 'Northwind' };

/** The names of all organizations. */
async function organizationsOf({ control }: Service): Promise<string[]> {
  const { body } = await control.get('/state/organizations').expect(200);
  return body.rows.map(({ display_name }: { display_name: string }) => display_name);
}

async function create(service: Service, ...names: string[]): Promise<void> {
  const api = await service.login();
  for (const display_name of names)
    await api.post('/api/v1/organizations').send({ display_name }).expect(201);
}

async function killed(service: Service): Promise<void> {
  service.kill('SIGKILL');
  await service.exited;
}

/** A data folder with one organization in the snapshot file and another one in the log. */
async function usedFolder(): Promise<string> {
  const data = makeFolder();
  const first = await serve(['--data', data, '--fixture', 'empty']);
  await create(first, 'In the file');
  await first.stop();
  const second = await serve(['--data', data, '--fixture', 'empty']);
  await create(second, 'In the log');
  await killed(second);
  return data;
}

describe('kill -9', () => {
  it('during 1 000 creates loses none that was acknowledged', async () => {
    const data = makeFolder();
    const service = await serve(['--data', data, '--fixture', 'empty']);
    const api = await service.login();
    const names = Array.from({ length: 1000 }, (_, index) => `Organization ${index}`);
    const answered: string[] = [];
    const connection = async () => {
      for (let name = names.shift(); name !== undefined; name = names.shift()) {
        await api.post('/api/v1/organizations').send({ display_name: name }).expect(201);
        if (answered.push(name) === 500) service.kill('SIGKILL');
      }
    };

    await Promise.allSettled(Array.from({ length: 8 }, connection));
    await service.exited;
    const again = await serve(['--data', data, '--fixture', 'empty']);

    const found = await organizationsOf(again);
    expect(names.length).toBeGreaterThan(0);
    expect(answered.length).toBeGreaterThanOrEqual(500);
    expect(found).toEqual(expect.arrayContaining(answered));
    expect(found.length - answered.length).toBeLessThanOrEqual(8);
    expect(again.stderr()).toBe('');
  });

  it('leaves a folder that the next process can open at once', async () => {
    const data = await usedFolder();

    const service = await serve(['--data', data, '--fixture', 'empty']);
    await create(service, 'Later');

    expect(await organizationsOf(service)).toEqual(['In the file', 'In the log', 'Later']);
  });

  it('does not undo a reset', async () => {
    const data = await usedFolder();
    const first = await serve(['--data', data, '--fixture', 'empty']);
    await first.control.post('/reset').expect(204);
    await create(first, 'After the reset');
    await killed(first);

    const second = await serve(['--data', data, '--fixture', 'empty']);

    expect(await organizationsOf(second)).toEqual(['After the reset']);
  });
});

describe('an incomplete last line of the log', () => {
  it('is dropped with a warning, and earlier lines are kept', async () => {
    const data = await usedFolder();
    const log = join(data, 'default.log');
    const whole = statSync(log).size;
    appendFileSync(log, '{"position":99,"changes":[{"collection":"organizations","id":"org');

    const service = await serve(['--data', data, '--fixture', 'empty']);

    expect(await organizationsOf(service)).toEqual(['In the file', 'In the log']);
    expect(service.stderr()).toMatch(/^warn: .*default\.log:\d: the last line was not finished.*\n$/);
    expect(statSync(log).size).toBeLessThanOrEqual(whole);
  });

  it('is dropped at whatever byte it ends', async () => {
    const data = await usedFolder();
    const log = join(data, 'default.log');
    truncateSync(log, statSync(log).size - 1);

    const service = await serve(['--data', data, '--fixture', 'empty']);

    expect(await organizationsOf(service)).toEqual(['In the file']);
    expect(service.stderr()).toContain('the last line was not finished');
  });
});

describe('a damaged data file', () => {
  it.each([
    [
      'default.json',
      (text: string) => text.replace('"organizations": [', '"organizations": [ oops'),
      /:\d+:\d+: not valid JSON/,
    ],
    [
      'default.json',
      (text: string) => text.slice(0, text.indexOf('"users"')),
      /:\d+:\d+: not valid JSON, it ends too early/,
    ],
    [
      'default.json',
      (text: string) => text.replace('"understudy"', '"overstudy"'),
      /:1:1: "understudy" with format and position is missing/,
    ],
    [
      'default.log',
      (text: string) => text.replace('"position"', '"positoin"'),
      /:1:1: the line does not fit its checksum/,
    ],
    ['default.log', (text: string) => `garbage\n${text}`, /:1:1: not valid JSON, unexpected "g"/],
  ])(
    '%s stops the start with path and position, and is not changed (%#)',
    async (file, damage, complaint) => {
      const data = await usedFolder();
      const path = join(data, file);
      const damaged = damage(readFileSync(path, 'utf8'));
      writeFileSync(path, damaged);

      const { code, stdout, stderr } = await run(['serve', '--data', data, '--port', '0']);

      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      expect(stderr).toMatch(/^understudy: .*; the file was left as it is\n$/);
      expect(stderr).toContain(path);
      expect(stderr).toMatch(complaint);
      expect(readFileSync(path, 'utf8')).toBe(damaged);
    },
  );

  it('of a stored environment stops the start too', async () => {
    const data = await usedFolder();
    writeFileSync(join(data, 'worker.json'), '{');

    const { code, stderr } = await run(['serve', '--data', data, '--port', '0']);

    expect(code).toBe(1);
    expect(stderr).toMatch(
      /worker\.json:1:2: not valid JSON, it ends too early; restore the file from a backup; the file was left as it is\n$/,
    );
  });

  it('can be repaired: the next start has everything again', async () => {
    const data = await usedFolder();
    const path = join(data, 'default.json');
    const good = readFileSync(path, 'utf8');
    writeFileSync(path, good.slice(1));
    await run(['serve', '--data', data, '--port', '0']);
    writeFileSync(path, good);

    const service = await serve(['--data', data]);

    expect(await organizationsOf(service)).toEqual(['In the file', 'In the log']);
  });
});

describe('a second process on the same data folder', () => {
  it('is refused with one line, and the first process continues', async () => {
    const data = makeFolder();
    const first = await serve(['--data', data, '--fixture', 'empty']);

    const second = await run(['serve', '--data', data, '--port', '0']);

    expect(second).toEqual({
      code: 1,
      signal: null,
      stdout: '',
      stderr: `understudy: data folder ${data} is in use by another understudy process\n`,
    });
    await create(first, 'Northwind');
    await first.stop();
    expect(await organizationsOf(await serve(['--data', data]))).toEqual(['Northwind']);
  });
});

describe('an environment with persist: true', () => {
  const WORKER = { name: 'worker', fixture: 'empty', seed: 7, persist: true };

  /** The hash of its rows, clock and generators. */
  async function hashOf({ control }: Service): Promise<string> {
    return (await control.get('/environments/worker/state/hash').expect(200)).body.hash;
  }

  async function addOrganization({ control, anonymous }: Service): Promise<string> {
    const { body: credentials } = await control.get('/environments/worker').expect(200);
    const { client_id, client_secret } = credentials;
    const form = { grant_type: 'client_credentials', client_id, client_secret };
    const token = await anonymous.post('/oauth/token').type('form').send(form).expect(200);
    const authorization = `Bearer ${token.body.access_token}`;
    const created = await anonymous
      .post('/api/v1/organizations')
      .set({ authorization })
      .send(NORTHWIND)
      .expect(201);
    return created.body.organization.id;
  }

  it.each(['SIGTERM', 'SIGKILL'] as const)(
    'survives %s, and a reset restores its own fixture, seed and clock',
    async (signal) => {
      const data = makeFolder();
      const first = await serve(['--data', data]);
      const clock = { mode: 'frozen', at: '2030-01-01T00:00:00Z' };
      const { body: made } = await first.control
        .post('/environments')
        .send({ ...WORKER, clock })
        .expect(201);
      const atStart = await hashOf(first);
      const id = await addOrganization(first);
      const afterwards = await hashOf(first);
      first.kill(signal);
      await first.exited;

      const second = await serve(['--data', data]);

      const { body: known } = await second.control.get('/environments/worker').expect(200);
      expect(known).toMatchObject({ client_id: made.client_id, client_secret: made.client_secret });
      expect(await hashOf(second)).toBe(afterwards);
      await second.control.post('/environments/worker/reset').expect(204);
      expect(await hashOf(second)).toBe(atStart);
      expect(await addOrganization(second)).toBe(id);
    },
  );

  it('does not come back after it was deleted', async () => {
    const data = makeFolder();
    const first = await serve(['--data', data]);
    await first.control.post('/environments').send(WORKER).expect(201);
    await first.control.delete('/environments/worker').expect(204);
    await first.stop();

    const second = await serve(['--data', data]);

    await second.control.get('/environments/worker').expect(404);
  });

  it('is the only kind that is stored', async () => {
    const data = makeFolder();
    const first = await serve(['--data', data]);
    await first.control.post('/environments').send({ name: 'passing' }).expect(201);
    await first.stop();

    const second = await serve(['--data', data]);

    await second.control.get('/environments/passing').expect(404);
  });
});
