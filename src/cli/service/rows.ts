import { unchecked, type Collection } from '../../client/control.ts';
import { table, type Session } from './connect.ts';
import { objectOf, readValue } from './values.ts';

/** Prints a row, the rows of a collection, or the number of rows of each collection. */
export async function getState({ environment, print }: Session, name?: string, id?: string): Promise<void> {
  const { state } = environment;
  if (name === undefined) {
    const counts = await state.counts();
    const lines = Object.entries(counts).map(([collection, count]) => [collection, String(count)]);
    return print(counts, table(lines));
  }
  const collection = name as Collection;
  const value = id === undefined ? await state.list(collection) : await state.get(collection, id);
  print(value, JSON.stringify(value, null, 2));
}

/** The service refuses a collection that does not exist. */
export interface RowAddress {
  collection: string;
  id: string;
}

export interface EditOptions {
  events?: boolean;
}

/** `values` are `path=value` texts, or one JSON object. A value of null removes the member. */
export async function patchRow(
  { environment, print }: Session,
  { collection, id }: RowAddress,
  values: readonly string[],
  { events = false }: EditOptions,
): Promise<void> {
  const row = await environment.state.patch(collection as Collection, id, bodyOf(values), { events });
  print(row, JSON.stringify(row, null, 2));
}

export async function putRow(
  { environment, print }: Session,
  { collection, id }: RowAddress,
  values: readonly string[],
  { events = false }: EditOptions,
): Promise<void> {
  const row = await environment.state.put(collection as Collection, id, bodyOf(values), { events });
  print(row, JSON.stringify(row, null, 2));
}

function bodyOf(values: readonly string[]): object {
  const [first = ''] = values;
  const whole = values.length === 1 && first.startsWith('{') ? readValue(first) : undefined;
  return typeof whole === 'object' && whole !== null ? whole : objectOf(values);
}

export async function deleteRow(
  { environment, print }: Session,
  { collection, id }: RowAddress,
  { events = false }: EditOptions,
): Promise<void> {
  await environment.state.delete(collection as Collection, id, { events });
  print({ deleted: id }, `row ${id} of ${collection} is deleted`);
}

export interface TriggerOptions {
  /** `path=value` texts that replace values of the sample data. */
  set?: readonly string[];
}

/** Emits an event of this type with sample data. */
export async function triggerEvent(
  { environment, print }: Session,
  type: string,
  { set = [] }: TriggerOptions,
): Promise<void> {
  const event = await environment.webhooks.trigger(unchecked(type), { data: objectOf(set) });
  print(event, `${type} is emitted (${event.id})`);
}
