import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openFolder, openMemory, StoreError } from '../../src/store/store.ts';
import { failOnWarning, gone, makeFolder, openStore, put, rowsOf } from './support.ts';

const acme = { id: 'org_1', display_name: 'Acme' };
const globex = { id: 'org_2', display_name: 'Globex' };

describe('a data folder', () => {
  it('is made where it is missing', async () => {
    const folder = join(makeFolder(), 'deep', 'data');

    const store = await openStore(folder);

    expect(existsSync(folder)).toBe(true);
    expect(store.envs()).toEqual([]);
  });

  it('that can not be made is named with the reason', async () => {
    const file = join(makeFolder(), 'file');
    writeFileSync(file, '');

    await expect(openFolder(join(file, 'data'), { warn: failOnWarning })).rejects.toThrow(
      /^data folder .*file\/data can not be made: ENOTDIR/,
    );
  });

  it('lists its environments and nothing else that lies in it', async () => {
    const folder = makeFolder();
    const strangers = ['ca.pem', 'Default.json', 'a.b.json', 'default.json.tmp', `${'x'.repeat(41)}.json`];
    for (const file of ['b.json', 'b.log', 'a-1.log', ...strangers]) writeFileSync(join(folder, file), '');

    expect((await openStore(folder)).envs()).toEqual(['a-1', 'b']);
  });

  it('leaves no trace of its owner once closed', async () => {
    const folder = makeFolder();
    const store = await openFolder(folder, { warn: failOnWarning });

    await store.close();

    expect(readdirSync(folder)).toEqual([]);
  });
});

describe('an environment', () => {
  it('is new when nothing was kept of it', async () => {
    const env = await (await openStore(makeFolder())).open('default');

    expect(env.snapshot).toBeUndefined();
    expect(env.commits).toEqual([]);
  });

  it('has every commit again after a restart', async () => {
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

  it('may be edited in its file while the server is stopped', async () => {
    const folder = makeFolder();
    const store = await openStore(folder);
    await (await store.open('default')).fold({ marks: null, collections: { organizations: [acme] } });
    await store.close();
    const path = join(folder, 'default.json');
    writeFileSync(path, readFileSync(path, 'utf8').replace('Acme', 'Acme Inc.'));

    const again = await (await openStore(folder)).open('default');

    expect(rowsOf(again)).toEqual({ organizations: [{ ...acme, display_name: 'Acme Inc.' }] });
  });

  it('is gone with file and log when removed, and may be made anew', async () => {
    const folder = makeFolder();
    const store = await openStore(folder);
    const env = await store.open('w1');
    env.append(put('org_1', 'Acme'));
    await env.fold({ marks: null, collections: { organizations: [acme] } });
    env.append(put('org_2', 'Globex'));

    await env.remove();

    expect(store.envs()).toEqual([]);
    expect(rowsOf(await store.open('w1'))).toEqual({});
  });

  it('is open only once', async () => {
    const store = await openStore(makeFolder());
    const env = await store.open('default');

    await expect(store.open('default')).rejects.toThrow('environment default is open already');
    await env.close();
    await expect(store.open('default')).resolves.toBeDefined();
  });

  it('takes nothing once it is closed', async () => {
    const env = await (await openStore(makeFolder())).open('default');
    await env.close();

    expect(() => env.append(put('org_1', 'Acme'))).toThrow('environment default is closed');
    await expect(env.fold({ marks: null, collections: {} })).rejects.toThrow('environment default is closed');
  });

  it.each(['', 'Default', '../etc', 'a.b', 'x'.repeat(41)])('can not be named "%s"', async (name) => {
    await expect((await openStore(makeFolder())).open(name)).rejects.toThrow(
      `"${name}" is not an environment name`,
    );
  });

  it('that is damaged can be opened once it is mended', async () => {
    const folder = makeFolder();
    const store = await openStore(folder);
    writeFileSync(join(folder, 'default.json'), '{');
    await expect(store.open('default')).rejects.toThrow(/default\.json:1:2: not valid JSON/);

    writeFileSync(join(folder, 'default.json'), '{"understudy":{"format":1,"position":0,"marks":null}}');

    expect(rowsOf(await store.open('default'))).toEqual({});
  });

  it('says so when the file that its log goes on from is missing', async () => {
    const folder = makeFolder();
    const line = JSON.stringify({ position: 7, ...put('org_1', 'Acme') });
    writeFileSync(join(folder, 'default.log'), `${line}\n`);

    const opening = (await openStore(folder)).open('default');

    await expect(opening).rejects.toThrow(/default\.log:1: the log begins at commit 7/);
    expect(readFileSync(join(folder, 'default.log'), 'utf8')).toBe(`${line}\n`);
  });
});

describe('a store in memory', () => {
  it('takes commits and folds, and keeps nothing', async () => {
    const store = openMemory();
    const env = await store.open('default');

    env.append(put('org_1', 'Acme'));
    await env.fold({ marks: null, collections: { organizations: [acme] } });

    expect(env.wantsFold).toBe(false);
    expect(store.envs()).toEqual([]);
    await expect(store.open('default')).rejects.toThrow(StoreError);
    await env.close();
    expect(rowsOf(await store.open('default'))).toEqual({});
  });
});
