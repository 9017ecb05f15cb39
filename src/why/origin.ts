import { ApiError } from '../contract/errors.ts';
import type { Entry } from '../journal/entry.ts';
import type { Steps } from '../scenarios/steps.ts';
import type { Collection, Tables } from '../state/env.ts';
import { anyTable, COLLECTIONS } from '../state/schema.ts';
import { suggestAmong } from '@understudy/text/suggestion';
import { dueOf } from '../state/timeline.ts';
import type { Place } from './answer.ts';
import { editsOf, type History } from './history.ts';

interface Origins extends Pick<Place, 'environment'> {
  history: History;
}

/**
 * The call that an id leads to: that call, or the one that created the row of this id, or else the latest that wrote it.
 * Undefined if there is none.
 */
export function* callOf(id: string, { environment, history }: Origins): Steps<Entry | undefined> {
  const { journal, tables } = environment;
  const call = journal.find(id);
  if (call) return call;
  const writes = history.of(id);
  const write = writes.find(({ change }) => change === 'created') ?? writes.at(-1);
  return write?.entry ?? (yield* callBeforeDue(id, tables, journal.list()));
}

/** A row that was made when something was due leads to the call that had made it due. */
function* callBeforeDue(id: string, tables: Tables, entries: readonly Entry[]): Steps<Entry | undefined> {
  const row = rowNamed(id, tables) as Timed | undefined;
  const made: Timed | undefined = tables.events.find(row?.event_id ?? '') ?? row;
  const time = made?.occurred_at ?? made?.created_at;
  if (!made || time === undefined) return undefined;
  for (const entry of entries) {
    for (const { collection, id: name, after } of editsOf(entry))
      if (after && isAbout(made, { ...after, id: name }) && isDueAt(time, collection, after)) return entry;
    yield;
  }
  return undefined;
}

const isDueAt = (time: string, collection: string, row: object) =>
  dueOf(collection as Collection, row, 0)?.at === time;

/** Whether an event or an outgoing call is about the row: it names the row, or the row's user. */
export function isAbout(made: object, { id, user_id }: { id: string; user_id?: string }): boolean {
  const text = JSON.stringify(made);
  return text.includes(`"${id}"`) || (user_id !== undefined && text.includes(`"${user_id}"`));
}

/** An event has one of the times, a delivery the other. */
interface Timed {
  event_id?: string;
  occurred_at?: string;
  created_at?: string;
}

function rowNamed(id: string, tables: Tables): object | undefined {
  for (const collection of COLLECTIONS) {
    const row = anyTable(tables, collection).find(id);
    if (row) return row;
  }
  return undefined;
}

/** The most calls that an id is compared with. */
const MOST_COMPARED = 1000;

const latestIds = (entries: readonly Entry[]) => entries.slice(-MOST_COMPARED).map(({ id }) => id);

/** The refusal for an id that leads to no call. */
export function noCallOf(id: string, { tables, journal }: Place['environment']): ApiError {
  const message = rowNamed(id, tables)
    ? `no call of the journal wrote ${id}: it came from a fixture, the control API or the clock, or the journal no longer has its call`
    : `call or row ${id} not found${suggestAmong(id, latestIds(journal.list()))}`;
  return new ApiError('not_found', message);
}
