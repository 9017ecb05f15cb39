import { rowBreaches } from '@understudy/core/scenarios/breaches';
import { formatPath } from '@understudy/core/scenarios/path';
import type { Contract } from '@understudy/core/contract/contract';
import type { Collection } from '@understudy/core/state/env';
import { parseJson } from '@understudy/text/json';
import { textIn } from './file.ts';
import { BundleError, FORMAT, VERSION, type Bundle, type BundledCall } from './format.ts';
import { bundleShape } from './shape.ts';

/** Reads a file from anywhere, and checks all of it. Throws BundleError, with a sentence for the user. */
export async function readBundle(bytes: Uint8Array, control: Contract): Promise<Bundle> {
  const value = valueIn(await textIn(bytes));
  refuseOthers(value);
  bundleShape(value, '');
  const bundle = value as Bundle;
  checkOrder(bundle);
  for (const { place, collection, row } of rowsIn(bundle)) checkRow(place, collection, row, control);
  return bundle;
}

function valueIn(text: string): unknown {
  try {
    return parseJson(text);
  } catch (thrown) {
    throw new BundleError(`the file is no bundle: ${(thrown as Error).message}`);
  }
}

function refuseOthers(value: unknown): void {
  const { format, version, understudy } = (value ?? {}) as Partial<Record<keyof Bundle, unknown>>;
  if (format !== FORMAT) throw new BundleError('the file is no bundle of Understudy');
  if (typeof version === 'number' && version > VERSION)
    throw new BundleError(
      `the bundle has the format ${version}, and this Understudy reads up to ${VERSION}: use Understudy ${String(understudy).slice(0, 50)} or later`,
    );
}

const unusable = (what: string) => new BundleError(`the file is no bundle that can be used: ${what}`);

/** Positions and indexes must name what is there. */
function checkOrder({ start, commits, surroundings, scenarios, calls }: Bundle): void {
  const end = start.position + commits.length;
  const states = scenarios.states.length;
  if (surroundings.length === 0) throw unusable('surroundings is empty');
  if (start.scenarios >= states) throw unusable('start.scenarios names no state');
  for (const [index, each] of surroundings.entries()) {
    if (each.scenarios >= states) throw unusable(`surroundings[${index}].scenarios names no state`);
    if (each.position > end || each.position < (surroundings[index - 1]?.position ?? 0))
      throw unusable(`surroundings[${index}].position is out of order`);
  }
  for (const [index, { loaded }] of scenarios.states.entries())
    if (loaded.some(({ copy }) => copy >= scenarios.copies.length))
      throw unusable(`scenarios.states[${index}].loaded names no copy`);
  const isMoment = (moment: BundledCall['end']) =>
    !moment || (moment.position <= end && moment.surroundings < surroundings.length);
  for (const [index, call] of calls.entries()) {
    if (call.number <= (calls[index - 1]?.number ?? 0))
      throw unusable(`calls[${index}].number is out of order`);
    if (!isMoment(call.start) || !isMoment(call.end)) throw unusable(`calls[${index}] names no moment`);
    if (call.end && call.end.position < start.position)
      throw unusable(`calls[${index}] ended before the start`);
  }
}

interface PlacedRow {
  place: string;
  collection: string;
  row: object;
}

function* rowsIn({ start, commits, scenarios }: Bundle): Generator<PlacedRow> {
  yield* rowsOf('start.rows', start.rows);
  for (const [index, { base, changes }] of commits.entries()) {
    if (base) yield* rowsOf(`commits[${index}].base`, base);
    for (const [at, { collection, id, row }] of changes.entries()) {
      const place = `commits[${index}].changes[${at}]`;
      if (row && row.id !== id) throw unusable(`${place}.row has another id`);
      if (row) yield { place: `${place}.row`, collection, row };
    }
  }
  for (const { images } of scenarios.states)
    for (const { collection, before } of images)
      if (before) yield { place: 'an image', collection, row: before };
}

function* rowsOf(place: string, rows: Bundle['start']['rows']): Generator<PlacedRow> {
  for (const [collection, list] of Object.entries(rows))
    for (const [index, row] of list.entries())
      yield { place: `${place}.${collection}[${index}]`, collection, row };
}

function checkRow(place: string, collection: string, row: object, control: Contract): void {
  const [breach] = rowBreaches(row, collection as Collection, control);
  if (breach)
    throw new BundleError(
      `the file is no bundle that can be used: ${[place, formatPath(breach.path)].join('.')}: ${breach.message}`,
    );
}
