import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeFolder, run, serve, type Service } from '../support/process.ts';

const start = (data: string, ...flags: string[]) => serve(['--data', data, '--fixture', 'empty', ...flags]);

async function create(service: Service, display_name: string): Promise<void> {
  const api = await service.login();
  await api.post('/api/v1/organizations').send({ display_name }).expect(201);
}

async function namesIn({ control }: Service): Promise<string[]> {
  const { body } = await control.get('/state/organizations').expect(200);
  return body.rows.map(({ display_name }: { display_name: string }) => display_name);
}

async function killed(service: Service): Promise<void> {
  service.kill('SIGKILL');
  await service.exited;
}

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);

describe('a data folder', () => {
  it('is ignored by git if the process has made it, and named in the log', async () => {
    const cwd = makeFolder();
    mkdirSync(join(cwd, 'own'));
    const first = await serve(['--data', 'state', '--log-level', 'info'], { cwd });
    const second = await serve(['--data', 'own'], { cwd });

    expect(readFileSync(join(cwd, 'state', '.gitignore'), 'utf8')).toBe('*\n');
    expect(existsSync(join(cwd, 'own', '.gitignore'))).toBe(false);
    await second.stop();
    expect((await first.stop()).stderr).toContain(`info: the state is kept in ${join(cwd, 'state')}\n`);
  });
});

describe.runIf(process.platform !== 'win32')('the files of a data folder', () => {
  it('are readable only by their owner, and so is a folder that the process creates', async () => {
    const data = join(makeFolder(), 'made', 'here');
    const service = await start(data);
    await service.control.post('/environments').send({ name: 'worker', persist: true }).expect(201);
    await service.control.get('/ca.pem').expect(200);
    await create(service, 'Northwind');

    const secret = readdirSync(data).filter((file) => /\.(json|log)$|-key\.pem$/.test(file));
    expect(secret.toSorted()).toEqual([
      'ca-key.pem',
      'default.json',
      'default.log',
      'server-key.pem',
      'worker.json',
      'worker.log',
    ]);
    expect(secret.map((file) => modeOf(join(data, file)))).toEqual(secret.map(() => '600'));
    expect(modeOf(data)).toBe('700');
    expect(modeOf(join(data, '..'))).toBe('700');
    await service.stop();
    expect(modeOf(join(data, 'default.json'))).toBe('600');
    expect(modeOf(join(data, 'default.log'))).toBe('600');
  });

  it('become private when an earlier process left them readable', async () => {
    const data = makeFolder();
    const first = await start(data);
    await first.control.get('/ca.pem').expect(200);
    await killed(first);
    for (const file of ['default.json', 'default.log', 'ca-key.pem']) chmodSync(join(data, file), 0o644);
    writeFileSync(join(data, 'default.json.tmp'), '', { mode: 0o666 });
    chmodSync(data, 0o755);

    const second = await start(data);
    await second.control.get('/ca.pem').expect(200);

    expect(['default.json', 'default.log', 'ca-key.pem'].map((file) => modeOf(join(data, file)))).toEqual([
      '600',
      '600',
      '600',
    ]);
    expect(modeOf(data)).toBe('755');
  });
});

describe.runIf(process.platform === 'linux')('a data folder that cannot be created', () => {
  it.each(['/proc/nope', '/proc/nope/deeper', '/dev/null/nope'])(
    '%s ends the start with one line',
    async (data) => {
      const { code, stdout, stderr } = await run(['serve', '--port', '0', '--data', data]);

      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      expect(stderr).toMatch(new RegExp(`^understudy: data folder ${data} cannot be made: E[A-Z]+: .*\n$`));
    },
  );
});

describe('data files that are removed while the process runs', () => {
  it.each([
    ['a deleted log', (data: string) => rmSync(join(data, 'default.log'))],
    ['a truncated log', (data: string) => truncateSync(join(data, 'default.log'), 10)],
    [
      'a replaced log',
      (data: string) => {
        rmSync(join(data, 'default.log'));
        writeFileSync(join(data, 'default.log'), 'garbage');
      },
    ],
    ['a deleted snapshot', (data: string) => rmSync(join(data, 'default.json'))],
    [
      'a deleted log and snapshot',
      (data: string) => {
        rmSync(join(data, 'default.log'));
        rmSync(join(data, 'default.json'));
      },
    ],
  ])('%s: the next write stores the whole state again, and a warning is logged', async (_case, take) => {
    const data = makeFolder();
    const first = await start(data);
    await create(first, 'Before');
    take(data);

    await create(first, 'After');
    await create(first, 'Later');
    await killed(first);

    expect(first.stderr()).toContain(
      'warn: the files of environment default were deleted, replaced or shortened by somebody else',
    );
    expect(await namesIn(await start(data))).toEqual(['Before', 'After', 'Later']);
  });

  it('are complete again after a clean stop', async () => {
    const data = makeFolder();
    const first = await start(data);
    await create(first, 'Before');
    rmSync(join(data, 'default.log'));

    expect((await first.stop()).code).toBe(0);
    expect(await namesIn(await start(data))).toEqual(['Before']);
  });

  it('with their folder: writes are refused with the reason, and the stop fails', async () => {
    const data = join(makeFolder(), 'data');
    mkdirSync(data);
    const service = await start(data);
    const api = await service.login();
    rmSync(data, { recursive: true });

    const { body } = await api.post('/api/v1/organizations').send({ display_name: 'Lost' }).expect(503);
    await api.get('/api/v1/organizations').expect(200);
    const { code, stderr } = await service.stop();

    expect(body.message).toMatch(/default\.log: ENOENT/);
    expect(code).toBe(1);
    expect(stderr).toMatch(/\nunderstudy: .*default\.json: ENOENT.*\n$/);
  });
});

describe('--fsync', () => {
  it('keeps every acknowledged write, as a flag and as a variable', async () => {
    const data = makeFolder();
    const first = await start(data, '--fsync');
    await create(first, 'One');
    await killed(first);
    const second = await serve(['--data', data, '--fixture', 'empty'], {
      variables: { UNDERSTUDY_FSYNC: 'on' },
    });
    await create(second, 'Two');
    await killed(second);

    expect(await namesIn(await start(data))).toEqual(['One', 'Two']);
  });
});
