import { copyFileSync, mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { gone, makeFolder, openStore, put, rowsOf } from './support.ts';

const acme = { id: 'org_1', display_name: 'Acme' };
const globex = { id: 'org_2', display_name: 'Globex' };

describe('folding the log of an environment into its snapshot', () => {
  it('leaves the snapshot and the later commits', async () => {
    const folder = makeFolder();
    const store = await openStore(folder);
    const env = await store.open('default');
    env.append(put('org_1', 'Acme'));
    await env.fold({ marks: { n: 1 }, collections: { organizations: [acme] } });
    env.append(put('org_2', 'Globex'));
    await store.close();

    const again = await (await openStore(folder)).open('default');

    expect(again.snapshot).toEqual({ position: 2, marks: { n: 1 }, collections: { organizations: [acme] } });
    expect(again.commits).toEqual([put('org_2', 'Globex')]);
  });

  it('accepts commits meanwhile and loses none', async () => {
    const folder = makeFolder();
    const store = await openStore(folder);
    const env = await store.open('default');
    const rows = Array.from({ length: 20_000 }, (_, n) => ({ id: `org_${n}`, display_name: 'Acme' }));
    env.append({ base: { organizations: rows }, changes: [], marks: null });

    let isFolding = true;
    const fold = env
      .fold({ marks: null, collections: { organizations: rows } })
      .then(() => (isFolding = false));
    let appended = 0;
    for (; isFolding; appended++) {
      env.append(put(`late_${appended}`, 'Late'));
      await new Promise(setImmediate);
    }
    await fold;
    env.append(put('last', 'Last'));
    await store.close();

    const again = await (await openStore(folder)).open('default');
    expect(appended).toBeGreaterThan(2);
    expect(again.snapshot?.position).toBe(2);
    expect(again.commits).toHaveLength(appended + 1);
    expect(rowsOf(again)['organizations']).toHaveLength(rows.length + appended + 1);
  });

  it('runs one fold at a time, in order, and close waits for them', async () => {
    const folder = makeFolder();
    const store = await openStore(folder);
    const env = await store.open('default');
    env.append(put('org_1', 'Acme'));
    const first = env.fold({ marks: 'first', collections: { organizations: [acme] } });
    env.append(put('org_2', 'Globex'));
    const second = env.fold({ marks: 'second', collections: { organizations: [acme, globex] } });

    await env.close();
    await Promise.all([first, second]);

    const again = await store.open('default');
    expect(again.snapshot).toMatchObject({ position: 3, marks: 'second' });
    expect(again.commits).toEqual([]);
  });

  it('is due when the log exceeds 4 MB, and not while a fold runs', async () => {
    const env = await (await openStore(makeFolder())).open('default');
    const note = 'x'.repeat(1024 * 1024);
    const wanted = [1, 2, 3, 4].map((n) => {
      env.append(put(`org_${n}`, note));
      return env.wantsFold;
    });

    const fold = env.fold({ marks: null, collections: {} });
    const wantedMeanwhile = env.wantsFold;
    await fold;

    expect([...wanted, wantedMeanwhile, env.wantsFold]).toEqual([false, false, false, true, false, false]);
  });

  it('is due when the log exceeds twice the size of a large snapshot', async () => {
    const env = await (await openStore(makeFolder())).open('default');
    const note = 'x'.repeat(1024 * 1024);
    await env.fold({ marks: null, collections: { notes: [1, 2, 3].map((n) => ({ id: `${n}`, note })) } });

    const wanted = [1, 2, 3, 4, 5, 6].map((n) => {
      env.append(put(`org_${n}`, note));
      return env.wantsFold;
    });

    expect(wanted).toEqual([false, false, false, false, false, true]);
  });

  it('keeps log and rows when it fails, and can be repeated', async () => {
    const folder = makeFolder();
    const store = await openStore(folder);
    const env = await store.open('default');
    env.append(put('org_1', 'Acme'));
    mkdirSync(join(folder, 'default.json.tmp'));

    await expect(env.fold({ marks: null, collections: {} })).rejects.toThrow(/default\.json: EISDIR/);
    env.append(put('org_2', 'Globex'));
    renameSync(join(folder, 'default.json.tmp'), join(folder, 'elsewhere'));
    await env.fold({ marks: null, collections: { organizations: [acme, globex] } });
    await store.close();

    expect(rowsOf(await (await openStore(folder)).open('default'))).toEqual({
      organizations: [acme, globex],
    });
  });
});

describe('a crash during a fold', () => {
  /** The files before and after a fold of two commits, while a third one is appended. */
  async function foldedFolder(): Promise<{ folder: string; before: string; after: string }> {
    const [folder, before, after] = [makeFolder(), makeFolder(), makeFolder()];
    const store = await openStore(folder);
    const env = await store.open('default');
    env.append(put('org_1', 'Acme'));
    env.append(gone('org_9'));
    const fold = env.fold({ marks: null, collections: { organizations: [acme] } });
    env.append(put('org_2', 'Globex'));
    copyFileSync(join(folder, 'default.log'), join(before, 'default.log'));
    await fold;
    for (const file of ['default.json', 'default.log']) copyFileSync(join(folder, file), join(after, file));
    return { folder: makeFolder(), before, after };
  }

  type Disk = [as: string, from: 'before' | 'after', file: string];
  const log: Disk = ['default.log', 'before', 'default.log'];
  it.each<[string, Disk[], number]>([
    ['before the new file is complete', [log], 3],
    ['when the new file is complete', [log, ['default.json.tmp', 'after', 'default.json']], 3],
    ['when the new file is in place', [log, ['default.json', 'after', 'default.json']], 1],
    [
      'when the new log is complete',
      [log, ['default.json', 'after', 'default.json'], ['default.log.tmp', 'after', 'default.log']],
      1,
    ],
    [
      'when the new log is in place',
      [
        ['default.log', 'after', 'default.log'],
        ['default.json', 'after', 'default.json'],
      ],
      1,
    ],
  ])('loses nothing and applies nothing twice: %s', async (_case, disk, replayed) => {
    const states = await foldedFolder();
    for (const [as, from, file] of disk) copyFileSync(join(states[from], file), join(states.folder, as));

    const store = await openStore(states.folder);
    const env = await store.open('default');
    env.append(put('org_3', 'Initech'));
    await store.close();
    const again = await (await openStore(states.folder)).open('default');

    expect(env.commits).toHaveLength(replayed);
    expect(rowsOf(env)).toEqual({ organizations: [acme, globex] });
    expect(again.commits).toEqual([...env.commits, put('org_3', 'Initech')]);
  });
});
