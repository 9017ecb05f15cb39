import { CALL, checkOptions, type NamesOf, type Transport } from './transport.ts';
import { READ, readOptions, type ReadOptions } from './read-options.ts';
import type { ControlOutput } from '@understudy/core/contract/types';
import type { CallOptions, Collection, Dependents, Row, RowPatch, State, Snapshot } from './types.ts';

/** The stored rows of an environment. Times may be written as `now-1d`. */
export class StateControl {
  readonly #transport: Transport;

  /** @internal */
  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** All rows, by collection. */
  all(wanted: ReadOptions = {}): Promise<State> {
    const { at, ...options } = readOptions('state.all', wanted);
    return this.#transport.call('Control_GetState', { query: { at } }, options);
  }

  /** Replaces all rows with a fixture. */
  async replace(fixture: object, options?: CallOptions): Promise<void> {
    await this.#transport.call('Control_PutState', { body: { ...fixture } }, options);
  }

  /** A hash of all rows. After a reset it is the same as at the start. */
  async hash(options?: CallOptions): Promise<string> {
    return (await this.#transport.call('Control_GetStateHash', {}, options)).hash;
  }

  /** The number of rows of every collection. */
  async counts(wanted: ReadOptions = {}): Promise<Record<Collection, number>> {
    const { at, ...options } = readOptions('state.counts', wanted);
    const { counts } = await this.#transport.call('Control_CountRows', { query: { at } }, options);
    return counts as Record<Collection, number>;
  }

  /** All rows of a collection or, with options, some of them. */
  async list<C extends Collection>(collection: C, wanted: RowListOptions = {}): Promise<Row<C>[]> {
    return (await this.page(collection, wanted)).rows;
  }

  /** Some rows of a collection, and the number of rows on all pages. */
  async page<C extends Collection>(collection: C, wanted: RowListOptions = {}): Promise<RowPage<C>> {
    checkOptions('state.list', wanted, LIST);
    const { signal, timeout, where, ...others } = wanted;
    const query = { ...others, where: where && JSON.stringify(where) };
    const given = { path: { collection }, query };
    const page = await this.#transport.call('Control_ListRows', given, { signal, timeout });
    return page as RowPage<C>;
  }

  async get<C extends Collection>(collection: C, id: string, wanted: ReadOptions = {}): Promise<Row<C>> {
    const { at, ...options } = readOptions('state.get', wanted);
    const given = { path: { collection, id }, query: { at } };
    return (await this.#transport.call('Control_GetRow', given, options)) as Row<C>;
  }

  /** The rows that differ between two moments, each member with the call that changed it. `to`: now, if omitted. */
  async difference(from: string, to?: string, options?: CallOptions): Promise<StateDifference> {
    return this.#transport.call('Control_CompareMoments', { query: { from, to } }, options);
  }

  /** The row, and its version for `EditOptions`. */
  async read<C extends Collection>(collection: C, id: string, options?: CallOptions): Promise<ReadRow<C>> {
    const response = await this.#transport.open('Control_GetRow', { path: { collection, id } }, options);
    const version = response.headers.get('etag') ?? '';
    return { row: (await response.json()) as Row<C>, version: version.replaceAll('"', '') };
  }

  /** Creates a row, or replaces the one with this id. */
  async put<C extends Collection>(
    collection: C,
    id: string,
    row: RowPatch<Row<C>>,
    edit: EditOptions = {},
  ): Promise<Row<C>> {
    const { query, headers, options } = partsOf('state.put', edit);
    const given = { path: { collection, id }, query, headers, body: { ...row } };
    return (await this.#transport.call('Control_PutRow', given, options)) as Row<C>;
  }

  /** Changes fields of a row; null removes a field (RFC 7396). */
  async patch<C extends Collection>(
    collection: C,
    id: string,
    members: RowPatch<Row<C>>,
    edit: EditOptions = {},
  ): Promise<Row<C>> {
    const { query, headers, options } = partsOf('state.patch', edit);
    const given = { path: { collection, id }, query, headers, body: { ...members } };
    return (await this.#transport.call('Control_PatchRow', given, options)) as Row<C>;
  }

  /** The rows that `delete` would delete or change besides the row itself. */
  dependents(collection: Collection, id: string, options?: CallOptions): Promise<Dependents> {
    return this.#transport.call('Control_GetDependents', { path: { collection, id } }, options);
  }

  /** Deletes a row and the rows that cannot exist without it. */
  async delete(collection: Collection, id: string, edit: EditOptions = {}): Promise<void> {
    const { query, headers, options } = partsOf('state.delete', edit);
    const given = { path: { collection, id }, query, headers };
    await this.#transport.call('Control_DeleteRow', given, options);
  }

  /** The name of a row, the rows that it refers to, and how many refer to it. */
  related(collection: Collection, id: string, options?: CallOptions): Promise<RelatedRows> {
    return this.#transport.call('Control_GetRelated', { path: { collection, id } }, options);
  }

  /** The collection and the name of each row that has one of these ids. */
  async names(ids: readonly string[], options?: CallOptions): Promise<NamedRow[]> {
    return (await this.#transport.call('Control_NameRows', { query: { ids: ids.join(',') } }, options)).rows;
  }

  /** The latest changes that were made with `undo` and whose rows have not changed since; oldest first. */
  async undos(options?: CallOptions): Promise<KeptChange[]> {
    return (await this.#transport.call('Control_ListUndos', {}, options)).undos;
  }

  /** Takes back one of these changes, and nothing else. */
  async undo(id: string, options?: CallOptions): Promise<void> {
    await this.#transport.call('Control_Undo', { path: { id } }, options);
  }
}

/** Which rows a call lists, and in which order: the oldest first unless told otherwise. */
export interface RowListOptions extends ReadOptions {
  /** Only rows whose JSON has each of these words; upper and lower case are the same. */
  contains?: string | undefined;
  /** Only rows whose members have these values, such as `{ organization_id: 'org_1' }`. */
  where?: Readonly<Record<string, unknown>> | undefined;
  /** The member that orders the rows, such as `display_name`. */
  sort?: string | undefined;
  /** Turns the order around. */
  reverse?: boolean | undefined;
  /** The largest number of rows, at most 1000. Without it, all. */
  limit?: number | undefined;
  /** How many rows to leave out first. */
  offset?: number | undefined;
}

const LIST: NamesOf<RowListOptions> = {
  ...READ,
  contains: true,
  where: true,
  sort: true,
  reverse: true,
  limit: true,
  offset: true,
};

export interface RowPage<C extends Collection> {
  rows: Row<C>[];
  /** The number of rows on all pages. */
  total: number;
}

export interface EditOptions extends CallOptions {
  /** Whether the change emits events and webhooks, as one made by the service does. Default: false. */
  events?: boolean | undefined;
  /** Keeps what the change did, so that it can be undone. Default: false. */
  undo?: boolean | undefined;
  /** The version that was read: a `ControlError` with status 412 if the row has changed since. */
  version?: string | undefined;
}

/** A row and its version. */
export interface ReadRow<C extends Collection> {
  row: Row<C>;
  version: string;
}

export type RelatedRows = ControlOutput<'Control_GetRelated'>;
export type StateDifference = ControlOutput<'Control_CompareMoments'>;
export type NamedRow = ControlOutput<'Control_NameRows'>['rows'][number];

/** A change of rows that can be undone. */
export type KeptChange = ControlOutput<'Control_ListUndos'>['undos'][number];

const EDIT: NamesOf<EditOptions> = { ...CALL, events: true, undo: true, version: true };

function partsOf(call: string, edit: EditOptions) {
  checkOptions(call, edit, EDIT);
  const { events, undo, version, ...options } = edit;
  return {
    query: { events, undo },
    headers: version === undefined ? {} : { 'if-match': `"${version}"` },
    options,
  };
}

/** Named snapshots of an environment: rows, ids, clock and scenarios. They survive a reset. */
export class SnapshotControl {
  readonly #transport: Transport;

  /** @internal */
  constructor(transport: Transport) {
    this.#transport = transport;
  }

  take(name: string, options?: CallOptions): Promise<Snapshot> {
    return this.#transport.call('Control_TakeSnapshot', { body: { name } }, options);
  }

  /** Oldest first. */
  async list(options?: CallOptions): Promise<Snapshot[]> {
    return (await this.#transport.call('Control_ListSnapshots', {}, options)).snapshots;
  }

  /** All rows of a snapshot, by collection. */
  state(name: string, options?: CallOptions): Promise<State> {
    return this.#transport.call('Control_GetSnapshotState', { path: { snapshot: name } }, options);
  }

  /** Restores a snapshot; this can be repeated. */
  async restore(name: string, options?: CallOptions): Promise<void> {
    await this.#transport.call('Control_RestoreSnapshot', { path: { snapshot: name } }, options);
  }

  /** Deletes the snapshot; the environment stays as it is. */
  async delete(name: string, options?: CallOptions): Promise<void> {
    await this.#transport.call('Control_DeleteSnapshot', { path: { snapshot: name } }, options);
  }
}
