import { describe, expect, it } from 'vitest';
import { boot, bootOnce, type Booted } from '../support/boot.ts';
import { TABLE, type Field, type Target } from './emptied-table.ts';
import { updates, type Update } from './emptied-fields.ts';

const { fresh } = bootOnce();

const inContract = updates().flatMap((update) => update.fields.map((field) => ({ ...update, field })));
const rows = inContract.flatMap((each) => {
  const row = TABLE[each.operation]?.fields[each.field];
  return typeof row === 'object' ? [{ ...each, row }] : [];
});

describe('a list or map in the body of a PATCH or PUT', () => {
  it('has a row in the table', () => {
    const listed = Object.entries(TABLE).flatMap(([operation, { fields }]) =>
      Object.keys(fields).map((field) => `${operation}: ${field}`),
    );
    expect(listed.toSorted()).toEqual(
      inContract.map((each) => `${each.operation}: ${each.field}`).toSorted(),
    );
  });

  it.each(rows)('is set and emptied: $field of $operation', async (update) => {
    const { target, mask, caller } = TABLE[update.operation]!;
    const booted = caller === 'user' ? await boot() : await fresh();
    const sent = new Sender(booted, update, await (update.row.target ?? target)(booted), mask);
    const { value, rest = 'empty', rpc = 'full', masked = 'empty' } = update.row;
    const empty = Array.isArray(value) ? [] : {};

    expect([await sent.byRest(value), await sent.byRest(empty)]).toEqual(['full', rest]);
    expect([await sent.byRpc(value), await sent.byRpc(empty)]).toEqual(['full', rpc]);
    if (!mask) return;
    expect([await sent.byRpc(value), await sent.byRpc(empty, mask)]).toEqual(['full', masked]);
    expect([await sent.byRest(value), await sent.byRest(empty, mask)]).toEqual(['full', masked]);
  });
});

type Row = Update & { field: string; row: Field };

/** Sends updates of one field. Each says `refused`, or what the row holds then: `full`, `empty`, or another value. */
class Sender {
  readonly #booted: Booted;
  readonly #update: Row;
  readonly #target: Target;
  readonly #always: string | undefined;

  constructor(booted: Booted, update: Row, target: Target, mask: string | undefined) {
    this.#booted = booted;
    this.#update = update;
    this.#target = target;
    this.#always = update.row.onlyMasked ? mask : undefined;
  }

  async byRest(value: unknown, mask = this.#always): Promise<unknown> {
    const { verb, path, field } = this.#update;
    const url = path.replace(/\{(\w+)\}/g, (_, name: string) => this.#target.path![name]!);
    const query = mask === undefined ? '' : `?${mask}=${field}`;
    return this.#outcome(this.#booted.api[verb](`${url}${query}`).send(this.#body(value)));
  }

  async byRpc(value: unknown, mask = this.#always): Promise<unknown> {
    const { operation, bodyField, field } = this.#update;
    const [service = '', method] = operation.split('_');
    const body = this.#body(value);
    const message = {
      ...this.#target.path,
      ...(bodyField === undefined ? body : { [bodyField]: body }),
      ...(mask && { [mask]: field.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase()) }),
    };
    const url = `/scalekit.v1.${PACKAGES[service]}.${service}/${method}`;
    return this.#outcome(this.#booted.api.post(url).set('connect-protocol-version', '1').send(message));
  }

  /** The body with the value at its place. */
  #body(value: unknown): object {
    const { field, row } = this.#update;
    const written =
      field === '' ? value : field.split('.').reduceRight((inner, name) => ({ [name]: inner }), value);
    return merged(merged(this.#target.body ?? {}, row.beside ?? {}), written as object);
  }

  async #outcome(call: ReturnType<Booted['api']['get']>): Promise<unknown> {
    const { status } = await call.set(this.#target.headers ?? {});
    if (status >= 400) return 'refused';
    const { field, row } = this.#update;
    const { body: stored } = await this.#booted.control.get(`/state/${this.#target.row}`).expect(200);
    const found = row.at ? row.at(stored as never) : valueAt(stored, field);
    if (found === undefined || Object.keys(found as object).length === 0) return 'empty';
    return JSON.stringify(found) === JSON.stringify(row.stored ?? row.value) ? 'full' : found;
  }
}

const PACKAGES: Readonly<Record<string, string>> = {
  ClientService: 'clients',
  ConnectedAccountService: 'connected_accounts',
  ConnectionService: 'connections',
  DirectoryService: 'directories',
  EnvironmentService: 'environments',
  InterceptorService: 'interceptors',
  McpService: 'mcp',
  OrganizationService: 'organizations',
  ProviderService: 'providers',
  RolesService: 'roles',
  ToolService: 'tools',
  UserService: 'users',
};

const isMap = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The second value laid over the first one. */
function merged(below: object, above: object): object {
  const result: Record<string, unknown> = { ...below };
  for (const [name, value] of Object.entries(above))
    result[name] = isMap(value) && isMap(result[name]) ? merged(result[name], value) : value;
  return result;
}

const valueAt = (row: unknown, path: string): unknown =>
  path.split('.').reduce<unknown>((value, name) => (isMap(value) ? value[name] : undefined), row);
