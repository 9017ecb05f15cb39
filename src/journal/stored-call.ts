import type { DecisionView } from '../scenarios/decision.ts';
import { Entry } from './entry.ts';
import { textOfCause } from './entry-view.ts';
import { Redaction } from './redaction.ts';

/** A complete call, as the store keeps it: with its secrets, like the rows. */
export interface StoredCall extends Pick<Entry, StoredField> {
  changes?: Entry['changes'];
  violations?: Entry['violations'];
  unknown?: { field: string; name: string }[];
  interceptors?: Entry['interceptors'];
  calls?: readonly string[];
  notes?: readonly string[];
  providers?: Entry['providers'];
  /** Without secrets. */
  decision?: object;
  cause?: string;
}

/** Plain data. JSON leaves out those that are undefined. */
const FIELDS = [
  'number',
  'time',
  'protocol',
  'method',
  'path',
  'madeBy',
  'query',
  'headers',
  'requestSize',
  'operation',
  'binding',
  'body',
  'unread',
  'response',
  'fault',
  'shortPatch',
  'status',
  'replyHeaders',
  'replyText',
  'replySize',
  'violated',
  'duration',
  'size',
] as const;

type StoredField = (typeof FIELDS)[number];

/** As JSON. */
export function storedTextOf(entry: Entry): string {
  const { changes, violations, unknown, interceptors, calls, providers, notes, decision, cause } = entry;
  const stored: Record<string, unknown> = {};
  for (const field of FIELDS) stored[field] = entry[field];
  const lists = { changes, violations, interceptors, calls, providers, notes };
  for (const [name, list] of Object.entries(lists)) if (list.length > 0) stored[name] = list;
  if (unknown.length > 0) stored['unknown'] = unknown.map(({ field, name }) => ({ field, name }));
  if (decision) {
    const { headers, query, body } = entry;
    stored['decision'] = decision.view(new Redaction({ headers, query, body }).value);
  }
  if (cause !== undefined) stored['cause'] = textOfCause(cause);
  return JSON.stringify(stored);
}

/** A call of an earlier process. */
export function entryOf(stored: StoredCall): Entry {
  const { decision, cause, unknown = [], madeBy, ...found } = stored;
  const request = {
    ...found,
    body: undefined,
    size: found.requestSize,
    ...(madeBy !== undefined && { madeBy }),
  };
  const entry = new Entry(found.number, found.time, request, () => {});
  Object.assign(entry, found, { isClosed: true, isStored: true });
  entry.unknown = unknown.map((field) => ({ ...field, known: () => [] }));
  if (decision) entry.decision = { view: () => decision as DecisionView };
  if (cause !== undefined) entry.cause = Object.assign(new Error(cause), { stack: cause });
  return entry;
}
