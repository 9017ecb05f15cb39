import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openFolder, openMemory, StoreError } from '../../src/store/store.ts';
import { failOnWarning, gone, makeFolder, openStore, put, rowsOf } from './support.ts';

const acme = { id: 'org_1', display_name: 'Acme' };
const globex = { id: 'org_2', display_name: 'Globex' };

describe('a data folder', () => {
  it('is created when it does not exist', async () => {
    const folder = join(makeFolder(), 'deep', 'data');

    const store = await openStore(folder);

    expect(existsSync(folder)).toBe(true);
    expect(await store.envs()).toEqual([]);
  });

  it('that cannot be created is reported with the reason', async () => {
    const file = join(makeFolder(), 'file');
    writeFileSync(file, '');

    await expect(openFolder(join(file, 'data'), { warn: failOnWarning })).rejects.toThrow(
      /^data folder .*file\/data cannot be made: ENOTDIR/,
    );
  });

  it('lists its environments and ignores other files', async () => {
    const folder = makeFolder();
    const strangers = ['ca.pem', 'Default.json', 'a.b.json', 'default.json.tmp', `${'x'.repeat(41)}.json`];
    for (const file of ['b.json', 'b.log', 'a-1.log', ...strangers]) writeFileSync(join(folder, file), '');

    expect(await (await openStore(folder)).envs()).toEqual(['a-1', 'b']);
  });

  it('has no owner file after close', async () => {
    const folder = makeFolder();
    const store = await openFolder(folder, { warn: failOnWarning });

    await store.close();

    expect(readdirSync(folder)).toEqual([]);
  });
});

describe('an environment in a data folder', () => {
  it('is new when nothing is stored', async () => {
    const env = await (await openStore(makeFolder())).open('default');

    expect(env.snapshot).toBeUndefined();
    expect(env.commits).toEqual([]);
  });

  it('has every commit after a restart', async () => {
    const folder = makeFolder();
    const store = await openStore(folder);
    const env = await store.open('default');
    const commits = [put('org_1', 'Acme', { n: 1 }), put('org_2', 'Globex'), gone('org_1')];
    for (const commit of commits) env.append(commit);
    await store.close();

    const again = await (await openStore(folder)).open('default');

    expect(again.commits).toEqual(commits);
    expect(rowsOf(again)).toEqual({ organizations: [globex] });
  });

  it('may be edited in its file while the service is stopped', async () => {
    const folder = makeFolder();
    const store = await openStore(folder);
    await (await store.open('default')).fold({ marks: null, collections: { organizations: [acme] } });
    await store.close();
    const path = join(folder, 'default.json');
    const edited = readFileSync(path, 'utf8').replace('Acme', 'Acme Inc.');
    writeFileSync(path, edited.replace(/"crc32":"\w+",/, ''));

    const again = await (await openStore(folder)).open('default');

    expect(rowsOf(again)).toEqual({ organizations: [{ ...acme, display_name: 'Acme Inc.' }] });
  });

  it('is deleted with its files, and may be created again', async () => {
    const folder = makeFolder();
    const store = await openStore(folder);
    const env = await store.open('w1');
    env.append(put('org_1', 'Acme'));
    await env.fold({ marks: null, collections: { organizations: [acme] } });
    env.append(put('org_2', 'Globex'));

    await env.remove(1);

    expect(await store.envs()).toEqual([]);
    expect(rowsOf(await store.open('w1'))).toEqual({});
  });

  it('can be opened only once', async () => {
    const store = await openStore(makeFolder());
    const env = await store.open('default');

    await expect(store.open('default')).rejects.toThrow('environment default is open already');
    await env.close();
    await expect(store.open('default')).resolves.toBeDefined();
  });

  it('accepts nothing after it is closed', async () => {
    const env = await (await openStore(makeFolder())).open('default');
    await env.close();

    expect(() => env.append(put('org_1', 'Acme'))).toThrow('environment default is closed');
    await expect(env.fold({ marks: null, collections: {} })).rejects.toThrow('environment default is closed');
  });

  it.each(['', 'Default', '../etc', 'a.b', 'x'.repeat(41)])('cannot be named "%s"', async (name) => {
    await expect((await openStore(makeFolder())).open(name)).rejects.toThrow(
      `"${name}" is not an environment name`,
    );
  });

  it('can be opened after its damaged file was repaired', async () => {
    const folder = makeFolder();
    const store = await openStore(folder);
    writeFileSync(join(folder, 'default.json'), '{');
    await expect(store.open('default')).rejects.toThrow(/default\.json:1:2: not valid JSON/);

    writeFileSync(join(folder, 'default.json'), '{"understudy":{"format":1,"position":0,"marks":null}}');

    expect(rowsOf(await store.open('default'))).toEqual({});
  });

  it('cannot be opened when the snapshot of its log is missing', async () => {
    const folder = makeFolder();
    const line = JSON.stringify({ position: 7, ...put('org_1', 'Acme') });
    writeFileSync(join(folder, 'default.log'), `${line}\n`);

    const opening = (await openStore(folder)).open('default');

    await expect(opening).rejects.toThrow(/default\.log:1:1: the log begins at commit 7/);
    expect(readFileSync(join(folder, 'default.log'), 'utf8')).toBe(`${line}\n`);
  });
});

describe('a store in memory', () => {
  it('accepts commits and folds, and stores nothing', async () => {
    const store = openMemory();
    const env = await store.open('default');

    env.append(put('org_1', 'Acme'));
    await env.fold({ marks: null, collections: { organizations: [acme] } });

    expect(env.wantsFold).toBe(false);
    expect(await store.envs()).toEqual([]);
    await expect(store.open('default')).rejects.toThrow(StoreError);
    await env.close();
    expect(rowsOf(await store.open('default'))).toEqual({});
  });
});
