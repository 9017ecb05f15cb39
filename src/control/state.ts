import { createHash } from 'node:crypto';
import { closest } from 'fastest-levenshtein';
import { FixtureError } from '../environments/fixture-error.ts';
import { ApiError, invalidArgument } from '../errors.ts';
import { patchRow, putRow } from '../scenarios/edits.ts';
import { plain } from '../world/cascade.ts';
import { COLLECTIONS, type Collection } from '../world/schema.ts';
import type { World } from '../world/world.ts';
import type { ControlContext, ControlOperations } from './handler.ts';

type Row = Record<string, unknown> & { id: string };

export const state = {
  Control_GetState(_, { environment }) {
    return environment.collections() as never;
  },

  Control_PutState({ body }, { environment, fixtures }) {
    try {
      environment.putState(fixtures.read(body, environment.clock.now()));
      return undefined;
    } catch (thrown) {
      throw thrown instanceof FixtureError ? invalidArgument(thrown.message) : thrown;
    }
  },

  Control_GetStateHash(_, { environment }) {
    const { collections, marks, scenarios, counted } = environment.resettable();
    return {
      hash: createHash('sha256')
        .update(JSON.stringify([collections, marks, scenarios, counted]))
        .digest('hex'),
    };
  },

  Control_ListRows({ path }, { environment }) {
    return { rows: plain(environment.tables, collectionOf(path.collection)).list() };
  },

  Control_GetRow({ path }, { environment }) {
    return plain(environment.tables, collectionOf(path.collection)).get(path.id);
  },

  Control_PutRow({ path, body }, context) {
    if ('id' in body && body['id'] !== path.id)
      throw invalidArgument(`id: the path says ${path.id}, the row ${String(body['id'])}`);
    const row: Row = { ...body, id: path.id };
    return change(context, (world) => putRow(world, context.contract, collectionOf(path.collection), row));
  },

  Control_PatchRow({ path, body }, context) {
    const collection = collectionOf(path.collection);
    return change(context, (world) => patchRow(world, context.contract, collection, path.id, body));
  },

  Control_DeleteRow({ path }, context) {
    const collection = collectionOf(path.collection);
    if (collection === 'settings') throw invalidArgument('settings: an environment always has them');
    change(context, (world) => world.remove(collection, path.id));
    return undefined;
  },
} satisfies Partial<ControlOperations>;

function change<T>({ environment, baseUrl }: ControlContext, write: (world: World) => T): T {
  return environment.transact({ baseUrl }, write).result;
}

function collectionOf(name: string): Collection {
  if ((COLLECTIONS as string[]).includes(name)) return name as Collection;
  throw new ApiError(
    'not_found',
    `collection ${name} not found; did you mean ${closest(name, COLLECTIONS)}?`,
  );
}
