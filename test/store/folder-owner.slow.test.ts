import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import { build } from 'esbuild';
import { beforeAll, afterAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { takeOwnership } from '../../src/store/folder-owner.ts';
import { openFolder } from '../../src/store/store.ts';
import { makeFolder, rowsOf } from './support.ts';

const programFolder = mkdtempSync(join(tmpdir(), 'store-test-'));
const program = join(programFolder, 'owner-process.mjs');

beforeAll(async () => {
  const entryPoints = [join(import.meta.dirname, 'owner-process.ts')];
  await build({
    entryPoints,
    bundle: true,
    platform: 'node',
    format: 'esm',
    mainFields: ['module', 'main'],
    outfile: program,
  });
});
afterAll(() => rmSync(programFolder, { recursive: true }));

function start(task: 'own' | 'visit' | 'write', folder: string): { child: ChildProcess; lines: Interface } {
  const child = spawn(process.execPath, [program, task, folder], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  return { child, lines: createInterface(child.stdout) };
}

async function firstLine(lines: Interface): Promise<string> {
  return String(await once(lines, 'line'));
}

async function killed(child: ChildProcess): Promise<void> {
  const exit = once(child, 'exit');
  child.kill('SIGKILL');
  await exit;
}

describe('the owner of a data folder', () => {
  it('is the only one while it lives, and removes its files', async () => {
    const folder = makeFolder();
    const owner = await takeOwnership(folder);

    await expect(takeOwnership(folder)).rejects.toThrow(
      `data folder ${folder} is in use by another understudy process`,
    );
    await owner.release();
    await (await takeOwnership(folder)).release();

    expect(readdirSync(folder)).toEqual([]);
  });

  it('excludes other processes', async () => {
    const folder = makeFolder();
    const { lines } = start('own', folder);
    expect(await firstLine(lines)).toBe('owned');

    await expect(openFolder(folder, { warn: () => {} })).rejects.toThrow(
      /is in use by another understudy process/,
    );
  });

  it('can be replaced at once after kill -9', async () => {
    const folder = makeFolder();
    const { child, lines } = start('own', folder);
    await firstLine(lines);
    await killed(child);

    const owner = await takeOwnership(folder);

    await expect(takeOwnership(folder)).rejects.toThrow(/in use/);
    await owner.release();
    expect(readdirSync(folder)).toEqual([]);
  });

  it('is one process, even when several find a dead owner at the same moment', async () => {
    const folder = makeFolder();
    const dead = start('own', folder);
    await firstLine(dead.lines);
    await killed(dead.child);

    const heirs = Array.from({ length: 6 }, () => start('own', folder));
    const answers = await Promise.all(heirs.map(({ lines }) => firstLine(lines)));

    expect(answers.filter((answer) => answer === 'owned')).toHaveLength(1);
    expect(answers.filter((answer) => /in use by another understudy process/.test(answer))).toHaveLength(5);
  });

  it('is one, even with parallel attempts in one process', async () => {
    const folder = makeFolder();
    for (let round = 0; round < 20; round++) {
      mkdirSync(join(folder, '.owner.sock'));
      writeFileSync(join(folder, '.owner.sock', 'dead'), '');

      const claims = await Promise.allSettled(Array.from({ length: 10 }, () => takeOwnership(folder)));

      const owners = claims.flatMap((claim) => (claim.status === 'fulfilled' ? claim.value : []));
      expect(owners).toHaveLength(1);
      await owners[0]?.release();
      expect(readdirSync(folder)).toEqual([]);
    }
  });

  it('can own a folder whose path is too long for a socket', async () => {
    const folder = join(makeFolder(), 'a'.repeat(120), 'b'.repeat(120));
    mkdirSync(folder, { recursive: true });
    const { child, lines } = start('own', folder);
    expect(await firstLine(lines)).toBe('owned');

    await expect(takeOwnership(folder)).rejects.toThrow(/in use/);
    await killed(child);
    await (await takeOwnership(folder)).release();

    expect(readdirSync(folder)).toEqual([]);
  });

  it('is recognized even when the folder does not support sockets', async () => {
    const folder = makeFolder();
    vi.stubEnv('TMPDIR', makeFolder());
    const listen = Reflect.get(Server.prototype, 'listen') as (...args: unknown[]) => Server;
    vi.spyOn(Server.prototype, 'listen').mockImplementation(function (this: Server, ...args: unknown[]) {
      const [{ path }] = args as [{ path: string }];
      if (!path.startsWith(folder)) return Reflect.apply(listen, this, args);
      const refusal = Object.assign(new Error('ENOTSUP: operation not supported'), { syscall: 'listen' });
      this.emit('error', refusal);
      return this;
    });
    onTestFinished(() => {
      vi.unstubAllEnvs();
      vi.restoreAllMocks();
    });

    const owner = await takeOwnership(folder);

    await expect(takeOwnership(folder)).rejects.toThrow(`data folder ${folder} is in use`);
    await owner.release();
    await (await takeOwnership(folder)).release();
    expect(readdirSync(folder)).toEqual([]);
  });

  it('does not keep its process alive', async () => {
    const folder = makeFolder();
    const { child } = start('visit', folder);

    expect(await once(child, 'exit')).toEqual([0, null]);
    expect(existsSync(join(folder, '.owner.sock'))).toBe(true);
  });

  it('cannot own an unwritable folder, and the error says why', async () => {
    const file = join(makeFolder(), 'file');
    writeFileSync(file, '');

    await expect(takeOwnership(file)).rejects.toThrow(/^data folder .*file: ENOTDIR/);
  });
});

describe('kill -9', () => {
  it.each([1, 2, 3, 4, 5])('loses no acknowledged commit (round %i)', async (round) => {
    const folder = makeFolder();
    const { child, lines } = start('write', folder);
    const exit = once(child, 'exit');
    let acknowledged = -1;
    for await (const line of lines) {
      acknowledged = Number(line);
      if (acknowledged === 300 * round + 7) child.kill('SIGKILL');
    }
    await exit;

    const store = await openFolder(folder, { warn: () => {} });
    onTestFinished(() => store.close());
    const rows = rowsOf(await store.open('default'))['counters'] ?? [];

    expect(acknowledged).toBeGreaterThan(300 * round);
    expect(rows.length).toBeGreaterThan(acknowledged);
    expect(rows.map((row) => row.id)).toEqual(rows.map((_, n) => `n_${n}`));
  });
});
