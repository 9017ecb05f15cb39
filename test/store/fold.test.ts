import { copyFileSync, mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { gone, makeFolder, openStore, put, rowsOf } from './support.ts';

const acme = { id: 'org_1', display_name: 'Acme' };
const globex = { id: 'org_2', display_name: 'Globex' };

describe('a world that is folded', () => {
  it('has its file, and the commits since, after a fold', async () => {
    const folder = makeFolder();
    const store = await openStore(folder);
    const world = await store.open('default');
    world.append(put('org_1', 'Acme'));
    await world.fold({ marks: { n: 1 }, collections: { organizations: [acme] } });
    world.append(put('org_2', 'Globex'));
    await store.close();

    const again = await (await openStore(folder)).open('default');

    expect(again.snapshot).toEqual({ position: 1, marks: { n: 1 }, collections: { organizations: [acme] } });
    expect(again.commits).toEqual([put('org_2', 'Globex')]);
  });

  it('takes commits while it is folded, and loses none', async () => {
    const folder = makeFolder();
    const store = await openStore(folder);
    const world = await store.open('default');
    const rows = Array.from({ length: 20_000 }, (_, n) => ({ id: `org_${n}`, display_name: 'Acme' }));
    world.append({ base: { organizations: rows }, changes: [], marks: null });

    let isFolding = true;
    const fold = world
      .fold({ marks: null, collections: { organizations: rows } })
      .then(() => (isFolding = false));
    let appended = 0;
    for (; isFolding; appended++) {
      world.append(put(`late_${appended}`, 'Late'));
      await new Promise(setImmediate);
    }
    await fold;
    world.append(put('last', 'Last'));
    await store.close();

    const again = await (await openStore(folder)).open('default');
    expect(appended).toBeGreaterThan(2);
    expect(again.snapshot?.position).toBe(1);
    expect(again.commits).toHaveLength(appended + 1);
    expect(rowsOf(again)['organizations']).toHaveLength(rows.length + appended + 1);
  });

  it('folds one at a time, in order, and waits for them when it is closed', async () => {
    const folder = makeFolder();
    const store = await openStore(folder);
    const world = await store.open('default');
    world.append(put('org_1', 'Acme'));
    const first = world.fold({ marks: 'first', collections: { organizations: [acme] } });
    world.append(put('org_2', 'Globex'));
    const second = world.fold({ marks: 'second', collections: { organizations: [acme, globex] } });

    await world.close();
    await Promise.all([first, second]);

    const again = await store.open('default');
    expect(again.snapshot).toMatchObject({ position: 2, marks: 'second' });
    expect(again.commits).toEqual([]);
  });

  it('wants to be folded once its log is past 4 MB, and not while it is being folded', async () => {
    const world = await (await openStore(makeFolder())).open('default');
    const note = 'x'.repeat(1024 * 1024);
    const wanted = [1, 2, 3, 4].map((n) => {
      world.append(put(`org_${n}`, note));
      return world.wantsFold;
    });

    const fold = world.fold({ marks: null, collections: {} });
    const wantedMeanwhile = world.wantsFold;
    await fold;

    expect([...wanted, wantedMeanwhile, world.wantsFold]).toEqual([false, false, false, true, false, false]);
  });

  it('lets its log grow to twice the size of a big file', async () => {
    const world = await (await openStore(makeFolder())).open('default');
    const note = 'x'.repeat(1024 * 1024);
    await world.fold({ marks: null, collections: { notes: [1, 2, 3].map((n) => ({ id: `${n}`, note })) } });

    const wanted = [1, 2, 3, 4, 5, 6].map((n) => {
      world.append(put(`org_${n}`, note));
      return world.wantsFold;
    });

    expect(wanted).toEqual([false, false, false, false, false, true]);
  });

  it('keeps log and rows when a fold fails, and can be folded later', async () => {
    const folder = makeFolder();
    const store = await openStore(folder);
    const world = await store.open('default');
    world.append(put('org_1', 'Acme'));
    mkdirSync(join(folder, 'default.json.tmp'));

    await expect(world.fold({ marks: null, collections: {} })).rejects.toThrow(/default\.json: EISDIR/);
    world.append(put('org_2', 'Globex'));
    renameSync(join(folder, 'default.json.tmp'), join(folder, 'elsewhere'));
    await world.fold({ marks: null, collections: { organizations: [acme, globex] } });
    await store.close();

    expect(rowsOf(await (await openStore(folder)).open('default'))).toEqual({
      organizations: [acme, globex],
    });
  });
});

describe('a crash in the middle of a fold', () => {
  /** The states of the disk before and after a fold of two commits, with a third appended meanwhile. */
  async function foldedFolder(): Promise<{ folder: string; before: string; after: string }> {
    const [folder, before, after] = [makeFolder(), makeFolder(), makeFolder()];
    const store = await openStore(folder);
    const world = await store.open('default');
    world.append(put('org_1', 'Acme'));
    world.append(gone('org_9'));
    const fold = world.fold({ marks: null, collections: { organizations: [acme] } });
    world.append(put('org_2', 'Globex'));
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
    const world = await store.open('default');
    world.append(put('org_3', 'Initech'));
    await store.close();
    const again = await (await openStore(states.folder)).open('default');

    expect(world.commits).toHaveLength(replayed);
    expect(rowsOf(world)).toEqual({ organizations: [acme, globex] });
    expect(again.commits).toEqual([...world.commits, put('org_3', 'Initech')]);
  });
});
