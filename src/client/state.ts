import { CALL, checkOptions, type NamesOf } from './options.ts';
import type { Transport } from './transport.ts';
import type { CallOptions, Collection, Row, State } from './types.ts';

/** The stored rows of an environment. Times may be written as `now-1d`. */
export class StateControl {
  readonly #transport: Transport;

  /** @internal */
  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Every row, by collection. */
  all(options?: CallOptions): Promise<State> {
    return this.#transport.call('Control_GetState', {}, options);
  }

  /** A whole fixture in the place of all rows. */
  async replace(fixture: object, options?: CallOptions): Promise<void> {
    await this.#transport.call('Control_PutState', { body: { ...fixture } }, options);
  }

  /** The same after a reset as at the start. */
  async hash(options?: CallOptions): Promise<string> {
    return (await this.#transport.call('Control_GetStateHash', {}, options)).hash;
  }

  async list<C extends Collection>(collection: C, options?: CallOptions): Promise<Row<C>[]> {
    const { rows } = await this.#transport.call('Control_ListRows', { path: { collection } }, options);
    return rows as Row<C>[];
  }

  async get<C extends Collection>(collection: C, id: string, options?: CallOptions): Promise<Row<C>> {
    const row = await this.#transport.call('Control_GetRow', { path: { collection, id } }, options);
    return row as Row<C>;
  }

  /** A row, new or in the place of the one with this id. */
  async put<C extends Collection>(
    collection: C,
    id: string,
    row: object,
    edit: EditOptions = {},
  ): Promise<Row<C>> {
    const { query, options } = partsOf('state.put', edit);
    const given = { path: { collection, id }, query, body: { ...row } };
    return (await this.#transport.call('Control_PutRow', given, options)) as Row<C>;
  }

  /** Changes members of a row; null takes one away (RFC 7396). */
  async patch<C extends Collection>(
    collection: C,
    id: string,
    members: object,
    edit: EditOptions = {},
  ): Promise<Row<C>> {
    const { query, options } = partsOf('state.patch', edit);
    const given = { path: { collection, id }, query, body: { ...members } };
    return (await this.#transport.call('Control_PatchRow', given, options)) as Row<C>;
  }

  /** Takes a row away, and what can't be without it. */
  async delete(collection: Collection, id: string, edit: EditOptions = {}): Promise<void> {
    const { query, options } = partsOf('state.delete', edit);
    const given = { path: { collection, id }, query };
    await this.#transport.call('Control_DeleteRow', given, options);
  }
}

export interface EditOptions extends CallOptions {
  /** Whether events and webhooks tell of it, as of what the service does; a tester's change is told to nobody. */
  events?: boolean;
}

const EDIT: NamesOf<EditOptions> = { ...CALL, events: true };

function partsOf(call: string, edit: EditOptions) {
  checkOptions(call, edit, EDIT);
  const { events, ...options } = edit;
  return { query: events === undefined ? {} : { events }, options };
}
