import { copyFileSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import type { Collections, Commit } from '../../src/store/change-log.ts';
import { openFolder } from '../../src/store/store.ts';
import { applied, makeFolder, rowsOf } from './support.ts';

describe('any sequence of steps', () => {
  type Step = { commit: Commit } | 'fold' | 'reopen' | 'crash' | 'torn';
  const id = fc.constantFrom('a', 'b', 'c', 'd');
  const row = fc.record({ id, note: fc.string({ unit: 'binary' }) });
  const change = fc
    .record({ collection: fc.constantFrom('users', 'roles'), row, isGone: fc.boolean() })
    .map(({ collection, row, isGone }) => ({ collection, id: row.id, row: isGone ? null : row }));
  const base = fc.constantFrom<Commit['base']>(undefined, undefined, undefined, 'fixture', {
    users: [{ id: 'z' }],
  });
  const commit = fc.record({ base, changes: fc.array(change, { maxLength: 3 }), marks: fc.jsonValue() });
  const step: fc.Arbitrary<Step> = fc.oneof(
    {
      weight: 5,
      arbitrary: commit.map(({ base, ...rest }) => ({ commit: base ? { base, ...rest } : rest })),
    },
    { weight: 2, arbitrary: fc.constantFrom<Step>('fold', 'reopen', 'crash', 'torn') },
  );

  async function replay(
    steps: readonly Step[],
    folder: string,
  ): Promise<[found: Collections, expected: Collections]> {
    const warn = vi.fn();
    let store = await openFolder(folder, { warn });
    let env = await store.open('default');
    let rows: Collections = {};
    let fold = Promise.resolve();
    for (const step of [...steps, 'reopen' as const]) {
      if (typeof step === 'object') {
        env.append(step.commit);
        rows = applied(rows, step.commit);
      } else if (step === 'fold') {
        fold = env.fold({ marks: null, collections: rows });
      } else {
        // A crash interrupts a running fold: the files are copied as they are.
        if (step === 'reopen') await fold;
        const next = join(folder, 'next');
        copyEnvironment(folder, next);
        if (step === 'torn') writeFileSync(join(next, 'default.log'), '{"position":', { flag: 'a' });
        await store.close();
        folder = next;
        store = await openFolder(folder, { warn });
        env = await store.open('default');
        expect(rowsOf(env)).toEqual(rows);
      }
    }
    await store.close();
    return [rowsOf(env), rows];
  }

  function copyEnvironment(from: string, to: string): void {
    mkdirSync(to);
    for (const file of readdirSync(from).filter((file) => file.startsWith('default.'))) {
      copyFileSync(join(from, file), join(to, file));
    }
  }

  it('of commits, folds, restarts and crashes has the rows of a simple model', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
        const [found, expected] = await replay(steps, makeFolder());
        expect(found).toEqual(expected);
      }),
      { numRuns: 150 },
    );
  }, 60_000);
});
