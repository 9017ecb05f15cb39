import { execFileSync } from 'node:child_process';
import { mkdirSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeFolder, run, serve } from '../support/process.ts';

/** A folder with a pipe, a folder and a too large file for each file type. */
function irregular(): string {
  const cwd = makeFolder();
  execFileSync('mkfifo', ['pipe.json', 'pipe.yaml', 'pipe.pem'], { cwd });
  for (const name of ['folder.json', 'folder.yaml', 'folder.pem']) mkdirSync(join(cwd, name));
  for (const name of ['large.json', 'large.yaml', 'large.pem']) {
    writeFileSync(join(cwd, name), '');
    truncateSync(join(cwd, name), 200_000_001);
  }
  return cwd;
}

const PIPE = 'it is a named pipe, not a regular file';
const FOLDER = 'it is a folder, not a regular file';
const DEVICE = 'it is a device, not a regular file';
const LARGE = 'it is larger than 200 MB, the most that is read';

const start = ['serve', '--memory', '--port', '0'];

describe('a file on the command line', () => {
  it.each([
    [[...start, '--fixture', './pipe.json'], `./pipe.json: ${PIPE}`],
    [[...start, '--fixture', './folder.json'], `./folder.json: ${FOLDER}`],
    [[...start, '--fixture', '/dev/zero'], `/dev/zero: ${DEVICE}`],
    [[...start, '--fixture', './large.json'], `./large.json: ${LARGE}`],
    [[...start, '--scenario', './pipe.yaml'], `./pipe.yaml: ${PIPE}`],
    [[...start, '--scenario', './folder.yaml'], `./folder.yaml: ${FOLDER}`],
    [[...start, '--scenario', '/dev/zero'], `/dev/zero: ${DEVICE}`],
    [[...start, '--scenario', './large.yaml'], `./large.yaml: ${LARGE}`],
    [[...start, '--tls-cert', 'pipe.pem', '--tls-key', 'pipe.pem'], `cannot read pipe.pem: ${PIPE}`],
    [[...start, '--tls-cert', 'large.pem', '--tls-key', 'x.pem'], `cannot read large.pem: ${LARGE}`],
    [['coverage', 'pipe.json'], `pipe.json cannot be read: ${PIPE}`],
    [['coverage', '/dev/zero'], `/dev/zero cannot be read: ${DEVICE}`],
    [[...start, '--fixtures', './nowhere'], '--fixtures ./nowhere: no such folder'],
    [[...start, '--fixtures', './pipe.json'], '--fixtures ./pipe.json: no such folder'],
  ])('must be a regular file of at most 200 MB: %j is refused', async (args, complaint) => {
    const { code, stdout, stderr } = await run(args, { cwd: irregular() });

    expect({ code, stdout, stderr }).toEqual({ code: 1, stdout: '', stderr: `understudy: ${complaint}\n` });
  });

  it('must be one in each include too', async () => {
    const cwd = irregular();
    writeFileSync(join(cwd, 'own.json'), JSON.stringify({ include: ['empty', 'pipe.json'] }));

    const { code, stderr } = await run([...start, '--fixture', './own.json'], { cwd });

    expect({ code, stderr }).toEqual({ code: 1, stderr: `understudy: pipe.json: ${PIPE}\n` });
  });

  it('must be one for scenarios lint too', async () => {
    const { code, stdout } = await run(['scenarios', 'lint', 'pipe.yaml', '/dev/zero'], {
      cwd: irregular(),
    });

    expect({ code, stdout }).toEqual({ code: 1, stdout: `pipe.yaml: ${PIPE}\n/dev/zero: ${DEVICE}\n` });
  });
});

describe('--fixtures', () => {
  const OWN = JSON.stringify({ include: ['empty'], organizations: [] });

  it('adds folders where fixtures are found by name, for --fixture and for environments', async () => {
    const cwd = makeFolder();
    for (const folder of ['one', 'two']) mkdirSync(join(cwd, folder));
    writeFileSync(join(cwd, 'one', 'first.json'), OWN);
    writeFileSync(join(cwd, 'two', 'second.json'), OWN);

    const service = await serve(['--fixtures', 'one', '--fixtures', 'two', '--fixture', 'first'], { cwd });

    await service.control.post('/environments').send({ fixture: 'second' }).expect(201);
    const { body } = await service.control.post('/environments').send({ fixture: 'secnd' }).expect(400);
    expect(body.message).toBe('fixture secnd: no such name; did you mean second?');
  });

  it('can be set by UNDERSTUDY_FIXTURES, with commas', async () => {
    const cwd = makeFolder();
    for (const folder of ['one', 'two']) mkdirSync(join(cwd, folder));
    writeFileSync(join(cwd, 'two', 'second.json'), OWN);

    const service = await serve([], { cwd, variables: { UNDERSTUDY_FIXTURES: 'one,two' } });

    await service.control.post('/environments').send({ fixture: 'second' }).expect(201);
  });

  it('must still have the fixture of a stored environment, or the start fails with its name', async () => {
    const cwd = makeFolder();
    mkdirSync(join(cwd, 'one'));
    writeFileSync(join(cwd, 'one', 'first.json'), OWN);
    const args = ['--data', 'data', '--fixtures', 'one'];
    const first = await serve(args, { cwd });
    await first.control
      .post('/environments')
      .send({ name: 'red', fixture: 'first', persist: true })
      .expect(201);
    await first.stop();

    const second = await serve(args, { cwd });
    await second.control.get('/environments/red').expect(200);
    await second.stop();
    const { stderr } = await run(['--port', '0', '--data', 'data'], { cwd });

    expect(stderr).toMatch(/^understudy: environment red: fixture first: no such name; known: /);
  });
});

describe('an invalid browser flag', () => {
  it.each([
    [['--control-origin', 'app.example'], '--control-origin: app.example is not an origin: '],
    [['--allow-host', 'http://app.example'], '--allow-host: http://app.example is not a host: '],
  ])('stops the start: %j', async (args, complaint) => {
    const { code, stderr } = await run([...start, ...args]);

    expect(code).toBe(1);
    expect(stderr).toContain(`understudy: ${complaint}`);
    expect(stderr.split('\n')).toHaveLength(2);
  });
});
