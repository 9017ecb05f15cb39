import { describe, expect, it } from 'vitest';
import { FixtureRows } from '../../src/state/fixture-rows.ts';
import type { Env } from '../../src/state/env.ts';
import { SET_UP, type Consequence } from '../../src/state/units-of-work.ts';
import { openMemory } from '../../src/store/store.ts';
import { openDefault } from '../environment/support.ts';

const CALL = { baseUrl: 'http://localhost' };

/** Collects the ids of deleted users: no change of that collection causes an event. */
function listener(onSetUp: boolean) {
  const seen: string[] = [];
  const consequence: Consequence = {
    collections: new Set(['deleted_users']),
    onSetUp,
    *apply(_, changes) {
      yield;
      seen.push(...changes.map(({ id }) => id));
    },
  };
  return { seen, consequence };
}

const keep = (id: string) => (env: Env) => env.deleted_users.insert({ id, delete_time: env.clock.iso() });

describe('a consequence', () => {
  it('runs for its collection, even if no event follows from that collection', async () => {
    const [always, calls] = [listener(true), listener(false)];
    const consequences = [always.consequence, calls.consequence];
    const { environment, environments } = await openDefault(openMemory(), new FixtureRows({}), consequences);

    environment.transact(CALL, keep('usr_1'));
    environment.transact(SET_UP, keep('usr_2'));
    environment.transact(CALL, (env) => env.passwordless_requests.count());
    await environments.close();

    expect(always.seen).toEqual(['usr_1', 'usr_2']);
    expect(calls.seen).toEqual(['usr_1']);
  });

  it('does not run for other collections, nor for rows that come and go in the same unit of work', async () => {
    const { seen, consequence } = listener(true);
    const { environment, environments } = await openDefault(openMemory(), new FixtureRows({}), [consequence]);

    environment.transact(CALL, (env) => {
      keep('usr_1')(env);
      env.remove('deleted_users', 'usr_1');
    });
    environment.transact(CALL, (env) => env.trace(() => undefined));
    await environments.close();

    expect(seen).toEqual([]);
  });
});
