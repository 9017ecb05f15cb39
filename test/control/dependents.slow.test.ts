import { describe, expect, it } from 'vitest';
import { COLLECTIONS } from '../../src/state/schema.ts';
import { bootOnce, type Agent } from '../support/boot.ts';

type Row = Record<string, unknown> & { id: string };
type State = Record<string, Row[]>;

const { fresh } = bootOnce();

const stateOf = async (control: Agent): Promise<State> => (await control.get('/state').expect(200)).body;

/** `collection id` of each row that was deleted, and of each row that changed. */
function difference(before: State, after: State): { deleted: string[]; changed: string[] } {
  const rows = new Map(
    Object.entries(after).flatMap(([name, all]) => all.map((row) => [`${name} ${row.id}`, row])),
  );
  const all = Object.entries(before).flatMap(([name, list]) =>
    list.map((row) => [`${name} ${row.id}`, row] as const),
  );
  return {
    deleted: all.filter(([key]) => !rows.has(key)).map(([key]) => key),
    changed: all
      .filter(([key, row]) => rows.has(key) && JSON.stringify(rows.get(key)) !== JSON.stringify(row))
      .map(([key]) => key),
  };
}

const keysOf = (rows: { collection: string; id: string }[]) =>
  rows.map(({ collection, id }) => `${collection} ${id}`);

describe('Control_GetDependents', () => {
  it.each(COLLECTIONS.filter((each) => each !== 'settings'))(
    'lists what a deletion deletes and changes besides the row: %s',
    async (collection) => {
      const { control } = await fresh({ fixture: 'demo' });
      const { [collection]: rows = [] } = await stateOf(control);

      for (const { id } of rows.slice(0, 3)) {
        const before = await stateOf(control);
        const path = `/state/${collection}/${encodeURIComponent(id)}`;
        const { body } = await control.get(`${path}/dependents`).expect(200);
        expect(await stateOf(control)).toEqual(before);

        await control.delete(path).expect(204);

        const { deleted, changed } = difference(before, await stateOf(control));
        expect([...keysOf(body.deleted), `${collection} ${id}`].toSorted()).toEqual(deleted.toSorted());
        expect(keysOf(body.changed).toSorted()).toEqual(changed.toSorted());
        await control.post('/reset').expect(204);
      }
    },
  );

  it('finds rows that depend on the row through another row', async () => {
    const { control } = await fresh();

    const { body } = await control.get('/state/organizations/org_10000000000000001/dependents').expect(200);

    const collections = new Set(body.deleted.map(({ collection }: { collection: string }) => collection));
    expect(collections).toContain('memberships');
    expect(collections).toContain('connections');
  });

  it('names the nearest id for a row that does not exist', async () => {
    const { control } = await fresh();

    const { body } = await control.get('/state/organizations/org_1000000000000001/dependents').expect(404);

    expect(body.message).toContain('did you mean org_10000000000000001');
  });
});
