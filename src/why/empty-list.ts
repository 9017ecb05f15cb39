import type { Caller } from '../state/env.ts';
import type { Entry } from '../journal/entry.ts';
import { CustomReply } from '../operations/handler.ts';
import type { AnyHandler } from '../operations/index.ts';
import type { Simulator } from '../pipeline/perform.ts';
import { isObject, jsonIn } from '@understudy/text/json';
import { counted } from '@understudy/text/words';
import type { Fact, Place, Why } from './answer.ts';

/** What an explanation of an empty list needs: it asks the operation again, with fewer conditions. */
interface ListPlace extends Pick<Place, 'environment'> {
  simulator: Pick<Simulator, 'contract' | 'handlers'>;
}

type Query = Readonly<Record<string, unknown>>;

/** What does not select rows. */
const NO_CONDITIONS = /^(page_size|pageSize|count|limit|sort\w*|order\w*|attributes|excludedAttributes)$/i;
/** Each condition is left out once. */
const MOST_CONDITIONS = 10;

/** If the call got an empty list: which of its conditions hides rows, and how many, at the moment of the explanation. */
export async function withHiddenRows(why: Why, entry: Entry, place: ListPlace): Promise<Why> {
  const { status, method, replyText = '', query, decision } = entry;
  if (status !== 200 || method !== 'GET' || decision?.rule || !entry.operation) return why;
  if (countIn(jsonIn(replyText)) !== 0) return why;
  const conditions = Object.keys(query).filter((name) => !NO_CONDITIONS.test(name));
  const count = await counterOf(entry, place);
  if (!count) return why;
  const all = conditions.length > 0 ? (count(without(query, conditions)) ?? 0) : 0;
  if (all === 0) {
    const now = count(query) ?? 0;
    const summary =
      now > 0
        ? `The list was empty; now it has ${counted(now, 'row')}.`
        : `The list is empty: there are no such rows${conditions.length > 0 ? ', with or without the conditions of the call' : ''}.`;
    return { ...why, summary };
  }
  const because = conditions.slice(0, MOST_CONDITIONS).flatMap((name): Fact[] => {
    const shown = count(without(query, [name])) ?? 0;
    return shown > 0
      ? [{ text: `Without ${conditionText(name, query[name])}, it has ${counted(shown, 'row')}.` }]
      : [];
  });
  const names = conditions.map((name) => conditionText(name, query[name])).join(' and ');
  const hides = conditions.length === 1 ? 'hides' : 'hide';
  return { ...why, summary: `The list is empty: ${names} ${hides} ${counted(all, 'row')}.`, because };
}

const LONGEST = 60;

function conditionText(name: string, value: unknown): string {
  const text = String(value);
  return `${name}=${text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text}`;
}

const without = (query: Query, names: readonly string[]): Query =>
  Object.fromEntries(Object.entries(query).filter(([name]) => !names.includes(name)));

/** Undefined if the answer is no list. */
function countIn(body: unknown): number | undefined {
  if (!isObject(body)) return undefined;
  for (const name of ['total_size', 'totalSize', 'totalResults'])
    if (typeof body[name] === 'number') return body[name];
  const lists = Object.values(body).filter(Array.isArray);
  return lists.length === 1 ? lists[0]!.length : undefined;
}

/** Counts the rows that the operation lists with another query. It changes nothing. */
async function counterOf(entry: Entry, { environment, simulator }: ListPlace) {
  const { contract, handlers } = simulator;
  const { operation, params } = contract.router.route('GET', entry.path);
  const handle = await handlers.find(operation.base);
  const caller = callerOf(entry, environment.tables);
  return (query: Query): number | undefined => {
    try {
      const { input, violations } = contract.checkRequest(operation, {
        method: 'GET',
        url: entry.path,
        params: { ...params },
        query: structuredClone(query) as never,
        headers: entry.headers as never,
        mediaType: '',
        body: undefined,
      });
      if (violations.length > 0) return undefined;
      const options = { caller, baseUrl: '', leavesNothing: true, isStrict: false };
      const { result } = environment.transact(options, (env) => (handle as AnyHandler)(input, env));
      return countIn(result instanceof CustomReply ? result.body : result);
    } catch {
      // The list needs another condition, or another server: then it is not explained further.
      return undefined;
    }
  };
}

function callerOf({ caller }: Entry, tables: ListPlace['environment']['tables']): Caller | undefined {
  if (!caller) return undefined;
  const { client_id, subject, directory_id } = caller;
  const directory = directory_id === undefined ? undefined : tables.directories.find(directory_id);
  const secret = directory?.secrets[0];
  const organization = tables.clients.find(client_id)?.organization_id;
  return {
    client_id,
    ...(organization !== undefined && { organization_id: organization }),
    ...(subject?.startsWith('usr_') && { subject, user_id: subject }),
    ...(directory && secret && { directory: { id: directory.id, secret_id: secret.id } }),
  };
}
