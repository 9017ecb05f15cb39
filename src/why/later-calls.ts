import type { Entry } from '../journal/entry.ts';
import type { Steps } from '../scenarios/steps.ts';
import type { Rows } from '../state/env.ts';
import { isObject } from '@understudy/text/json';
import { editsOf, type RowEdit } from './history.ts';

/** A call that changed a row of the traced call, or used one of its mails. `did`: such as `sent its code`. */
export interface LaterCall {
  entry: Entry;
  did: string;
}

/** The most calls that are found for one row or mail. */
const MOST_FOUND = 5;
/** Deeper members of a body hold no code. */
const DEEPEST = 4;

/** By `collection/id` of rows that the call created: the later calls that changed them or, for a mail, used it. */
export function* laterCalls(
  { number, id }: Entry,
  created: readonly RowEdit[],
  entries: readonly Entry[],
  mails: readonly Rows['mails'][],
): Steps<Map<string, LaterCall[]>> {
  const found = new Map<string, LaterCall[]>();
  const names = new Set(created.map((edit) => `${edit.collection}/${edit.id}`));
  const add = (name: string, call: LaterCall) => {
    const known = found.get(name) ?? [];
    if (known.length < MOST_FOUND) found.set(name, [...known, call]);
  };
  for (const entry of entries) {
    if (entry.number <= number || entry.madeBy === id) continue;
    for (const mail of mails) {
      const did = useOf(mail, entry);
      if (did !== undefined) add(`mails/${mail.id}`, { entry, did });
    }
    for (const { collection, id: row, change } of editsOf(entry)) {
      const name = `${collection}/${row}`;
      if (names.has(name)) add(name, { entry, did: `${change} it` });
    }
    yield;
  }
  return found;
}

/** How the call used the mail: it opened the link, or sent the code or the token of the link. */
function useOf({ link, code }: Rows['mails'], { path, query, body }: Entry): string | undefined {
  if (link !== undefined && URL.canParse(link)) {
    const { pathname, searchParams } = new URL(link);
    const isSame =
      path === pathname && [...searchParams].every(([name, value]) => String(query[name]) === value);
    if (isSame) return 'opened its link';
    const tokens = [...searchParams.values()].filter(({ length }) => length >= SHORTEST_TOKEN);
    if (tokens.some((token) => holds(body, token, DEEPEST))) return 'sent the token of its link';
  }
  return code !== undefined && holds(body, code, DEEPEST) ? 'sent its code' : undefined;
}

/** A shorter parameter may say something else. */
const SHORTEST_TOKEN = 16;

const holds = (value: unknown, text: string, depth: number): boolean =>
  value === text ||
  (depth > 0 && isObject(value) && Object.values(value).some((each) => holds(each, text, depth - 1)));
