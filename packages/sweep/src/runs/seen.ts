import { createHash } from 'node:crypto';
import type { Entry } from '@understudy/core/journal/entry';
import { isObject, jsonIn } from '@understudy/text/json';

/** A call as verdicts need it. Times are milliseconds of this machine, because tests freeze the clock of the environment. */
export interface SeenCall {
  id: string;
  operation: string;
  method: string;
  path: string;
  query: Readonly<Record<string, unknown>>;
  body: unknown;
  /** Absent if no answer was sent. */
  status?: number;
  answer: unknown;
  retryAfter?: number;
  /** A digest of the token. */
  token?: string;
  start: number;
  end: number;
  /** The caller was still waiting when the test ended. */
  isOpen: boolean;
  /** The number of the sweep's rule that changed this call. */
  rule?: number;
  writes: readonly Write[];
}

interface Write {
  collection: string;
  id: string;
  kind: 'created' | 'changed' | 'deleted';
}

/** A delivery of a webhook. */
interface SeenDelivery {
  event: string;
  /** What the application answered to the attempts that rules changed. */
  changed: readonly { rule: number; status: number | undefined }[];
}

type Outcome = 'passed' | 'failed' | 'unfinished';

/** One test in one run of the suite. */
export interface TestRun {
  /** Undefined: what belongs to no test, so to the suite as a whole. */
  test: string | undefined;
  outcome: Outcome;
  calls: readonly SeenCall[];
  deliveries: readonly SeenDelivery[];
  /** How often each rule was applied. */
  hits: readonly number[];
}

/** The name of the scenarios that a sweep loads. */
export const RULES = 'sweep';

/** Rows that are about calls themselves, not about what an application wants. */
const BOOKKEEPING = /^(webhook_deliveries|events|mails|revoked_tokens|interceptor_\w+|\w*logs)$/;

/** `end`: when the call was complete, or the test over. */
export function seenCall(entry: Entry, end: number, isOpen: boolean): SeenCall | undefined {
  const { operation, expected, replyText, status } = entry;
  if (operation === undefined || expected !== undefined || entry.madeBy !== undefined) return undefined;
  // A header over gRPC may be a list.
  const [authorization] = [entry.headers['authorization']].flat();
  const retryAfter = Number(entry.replyHeaders?.['retry-after']);
  const own = entry.decision?.rule?.name === RULES ? entry.decision.rule.rule : undefined;
  return {
    id: entry.id,
    operation,
    method: entry.method,
    path: entry.path,
    query: entry.query,
    body: entry.body,
    answer: replyText === undefined ? undefined : jsonIn(replyText),
    start: end - entry.duration,
    end,
    isOpen,
    writes: entry.changes.filter(({ collection }) => !BOOKKEEPING.test(collection)).map(writeOf),
    ...(status !== undefined && { status }),
    ...(Number.isFinite(retryAfter) && { retryAfter }),
    ...(typeof authorization === 'string' && { token: digestOf(authorization) }),
    ...(own !== undefined && { rule: own }),
  };
}

const writeOf = ({ collection, id, before, after }: Entry['changes'][number]): Write => ({
  collection,
  id,
  kind: before === undefined ? 'created' : after === undefined ? 'deleted' : 'changed',
});

const digestOf = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 16);

/** The token of an answer to a call for one, as calls with it have it. */
export function tokenIn({ answer }: SeenCall): string | undefined {
  const token = isObject(answer) ? answer['access_token'] : undefined;
  return typeof token === 'string' ? digestOf(`Bearer ${token}`) : undefined;
}
