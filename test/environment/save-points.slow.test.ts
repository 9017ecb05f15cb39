import { cpSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Environment } from '../../src/environment/environment.ts';
import { FixtureRows } from '../../src/state/fixture-rows.ts';
import type { SavePoint } from '../../src/environment/save-points.ts';
import { openFolder } from '../../src/store/store.ts';
import type { Collections } from '../../src/store/change-log.ts';
import { anyTable } from '../../src/state/schema.ts';
import { failOnWarning, makeFolder } from '../store/support.ts';
import { openDefault, seen } from './support.ts';

const COLLECTION = ['users', 'memberships'] as const;
const IDS = ['a', 'b', 'c', 'd', 'e'];

const membership = (id: string, days: number) => ({
  id,
  organization_id: 'org_1',
  user_id: `usr_${days}`,
  role_ids: [`role_${days}`],
  membership_status: 'PENDING_INVITE',
  expires_at: new Date(Date.UTC(2030, 0, 1 + days)).toISOString(),
});

const row = (collection: string, id: string, note: number) =>
  collection === 'users' ? { id, email: `${note}@acme.example` } : membership(id, note);

const FIXTURE: Collections = {
  users: ['a', 'b', 'z'].map((id) => row('users', id, 1)),
  memberships: ['a', 'b', 'z'].map((id, day) => row('memberships', id, day)),
};

const collection = fc.constantFrom(...COLLECTION);
const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constantFrom('put' as const, 'remove' as const, 'fail' as const),
      collection,
      id: fc.constantFrom(...IDS),
      note: fc.nat(4),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('save' as const), slot: fc.nat(2) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('restore' as const), slot: fc.nat(2) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constantFrom('reset' as const, 'advance' as const, 'replace' as const, 'draw' as const),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('reopen' as const, 'crash' as const) }) },
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;
type Write = Extract<Step, { note: number }>;

const CALL = { baseUrl: 'http://localhost' };

function write(environment: Environment, { do: what, collection, id, note }: Write): void {
  environment.transact(CALL, (env) => {
    const table = anyTable(env, collection);
    if (what === 'remove') {
      if (table.find(id)) table.remove(id);
    } else if (table.find(id)) table.replace(row(collection, id, note));
    else table.insert(row(collection, id, note));
    if (what === 'fail') throw new Error('on purpose');
  });
}

const insertDrawn = (environment: Environment) =>
  environment.transact(CALL, (env) => anyTable(env, 'users').insert(row('users', env.draw.id('usr'), 3)));

/** Pending memberships whose deadline has passed: there must never be any. */
const overdue = ({ tables, clock }: Environment) =>
  tables.memberships
    .list()
    .filter((m) => m.membership_status === 'PENDING_INVITE' && Date.parse(m.expires_at!) <= clock.now());

it('deadlines are processed again after a restore', async () => {
  const store = await openFolder(makeFolder(), { warn: failOnWarning });
  const { environments, environment } = await openDefault(store, new FixtureRows(FIXTURE));
  write(environment, { do: 'put', collection: 'memberships', id: 'c', note: 3 });
  const point = environment.savePoints.save();
  const statuses = [];

  for (let i = 0; i < 3; i += 1) {
    environment.advance(5 * 86_400_000);
    statuses.push(environment.tables.memberships.get('c').membership_status);
    environment.savePoints.restore(point);
    statuses.push(environment.tables.memberships.get('c').membership_status);
  }

  await environments.close();
  const both = ['INVITE_EXPIRED', 'PENDING_INVITE'];
  expect(statuses).toEqual([...both, ...both, ...both]);
});

describe('any sequence of writes, save points and restores', () => {
  async function run(steps: readonly Step[], durable: boolean): Promise<void> {
    const fixture = new FixtureRows(FIXTURE);
    let folder = makeFolder();
    let store = await openFolder(folder, { warn: failOnWarning });
    let { environments, environment } = await openDefault(store, fixture);
    const start = seen(environment);
    let slots = new Map<number, { point: SavePoint; was: unknown }>();

    for (const each of steps) {
      const before = seen(environment);
      expect(overdue(environment)).toEqual([]);
      if (each.do === 'save') slots.set(each.slot, { point: environment.savePoints.save(), was: before });
      else if (each.do === 'restore') {
        const slot = slots.get(each.slot);
        if (slot) environment.savePoints.restore(slot.point);
        if (slot) expect(seen(environment)).toEqual(slot.was);
      } else if (each.do === 'reset') {
        environment.savePoints.reset();
        expect(seen(environment)).toEqual(start);
      } else if (each.do === 'advance') environment.advance(86_400_000);
      else if (each.do === 'replace')
        environment.savePoints.replaceRows({ users: FIXTURE['users']!.slice(1) });
      else if (each.do === 'draw') insertDrawn(environment);
      else if (each.do === 'fail') {
        expect(() => write(environment, each)).toThrow('on purpose');
        expect(seen(environment)).toEqual(before);
      } else if (each.do === 'put' || each.do === 'remove') write(environment, each);
      else if (durable) {
        const next = `${folder}-next`;
        const expected = JSON.stringify(seen(environment));
        if (each.do === 'crash')
          cpSync(folder, next, { recursive: true, filter: (file) => !file.endsWith('.sock') });
        await environments.close();
        if (each.do === 'crash') folder = next;
        store = await openFolder(folder, { warn: failOnWarning });
        ({ environments, environment } = await openDefault(store, fixture));
        slots = new Map();
        expect(JSON.stringify(seen(environment))).toBe(expected);
      }
    }
    await environments.close();
  }

  it('restores exactly what was saved', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), (steps) => run(steps, false)),
      { numRuns: 200 },
    );
  }, 60_000);

  it('survives the death of the process at any moment', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30, minLength: 5 }), (steps) =>
        run([...steps, { do: 'crash' }], true),
      ),
      { numRuns: 100 },
    );
  }, 60_000);
});
