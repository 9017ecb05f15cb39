import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ControlOutput } from '../contract/types.ts';
import type { Entry } from '../journal/entry.ts';
import { hasFailed } from '@understudy/client/failed-call';
import { uptime } from '../state/clock.ts';
import { given, beginningOf, isObject } from '@understudy/text/json';

type Summary = NonNullable<ControlOutput<'Control_ListRequests'>['summary']>;
type FailureGroup = Summary['failures'][number];

const SECOND = 1000;
const DAY = 86_400 * SECOND;
/** Widths of a bar, in milliseconds. Longer ones are whole days. */
const WIDTHS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14_400, 43_200].map(
  (seconds) => seconds * SECOND,
);
const MOST_BARS = 60;
const MOST_GROUPS = 50;
const LONGEST_CAUSE = 200;
/** Errors are short. A longer answer is not read for its code. */
const LONGEST_REPLY = 20_000;
/** Milliseconds of counting, after which other calls are served. */
const TURN = 5;

/** How many of these calls came and failed over time, and why those failed. */
export async function summaryOf(entries: readonly Entry[], signal: AbortSignal): Promise<Summary> {
  const span = spanOf(entries);
  const groups = new Map<string, FailureGroup>();
  const bars = barsOf(span);
  let begun = uptime();
  for (const entry of entries) {
    const bar = bars.list[Math.floor((entry.time - bars.start) / bars.width)]!;
    bar.calls += 1;
    const { status, expected, duration } = entry;
    if (hasFailed({ status, expected, duration_ms: duration })) {
      bar.failed += 1;
      addFailure(groups, entry);
    }
    if (uptime() - begun < TURN) continue;
    await nextTurn();
    if (signal.aborted) break;
    begun = uptime();
  }
  const sorted = [...groups.values()].toSorted((a, b) => b.count - a.count);
  return {
    failed: bars.list.reduce((sum, { failed }) => sum + failed, 0),
    bar_ms: bars.width,
    bars: bars.list,
    failures: sorted.slice(0, MOST_GROUPS),
    more_failures: Math.max(0, sorted.length - MOST_GROUPS),
  };
}

interface Span {
  first: number;
  last: number;
}

/** The clock may have been set back, so the first call need not be the earliest. */
function spanOf(entries: readonly Entry[]): Span | undefined {
  if (entries.length === 0) return undefined;
  let [first, last] = [Infinity, -Infinity];
  for (const { time } of entries) [first, last] = [Math.min(first, time), Math.max(last, time)];
  return { first, last };
}

function barsOf(span: Span | undefined) {
  if (!span) return { start: 0, width: SECOND, list: [] };
  const startOf = (width: number) => Math.floor(span.first / width) * width;
  const countOf = (width: number) => Math.floor((span.last - startOf(width)) / width) + 1;
  const width =
    WIDTHS.find((each) => countOf(each) <= MOST_BARS) ??
    DAY * Math.ceil((span.last - span.first + DAY) / (DAY * (MOST_BARS - 1)));
  const start = startOf(width);
  const list = Array.from({ length: countOf(width) }, (_, index) => ({
    time: new Date(start + index * width).toISOString(),
    calls: 0,
    failed: 0,
  }));
  return { start, width, list };
}

function addFailure(groups: Map<string, FailureGroup>, entry: Entry): void {
  const { operation, status, id } = entry;
  const cause = causeOf(entry);
  const time = new Date(entry.time).toISOString();
  const key = JSON.stringify([operation, status, cause]);
  const group = groups.get(key);
  if (group) {
    group.count += 1;
    [group.last, group.latest] = [time, id];
    return;
  }
  groups.set(key, {
    ...given({ operation, status }),
    cause,
    count: 1,
    first: time,
    last: time,
    latest: id,
  });
}

/** Of complete calls, because an answer is long to read. */
const CAUSES = new WeakMap<Entry, string>();

/** What has decided, without anything that differs between two calls, such as an id. */
function causeOf(entry: Entry): string {
  const known = CAUSES.get(entry);
  if (known !== undefined) return known;
  const cause = beginningOf(readCause(entry), LONGEST_CAUSE);
  CAUSES.set(entry, cause);
  return cause;
}

function readCause({ decision, status, violations, fault, replyText = '' }: Entry): string {
  if (decision?.rule) return `scenario ${decision.rule.name}`;
  if (fault !== undefined) return 'a fault of the connection';
  if (status === undefined) return 'no answer';
  const code = codeIn(replyText) ?? `status ${status}`;
  const [violation] = violations;
  return violation ? `${code}: ${violation.field}` : code;
}

/** The code of the service's own errors, or of OAuth's or SCIM's. */
function codeIn(text: string): string | undefined {
  if (text.length > LONGEST_REPLY || !text.startsWith('{')) return undefined;
  try {
    const { details, error, scimType } = JSON.parse(text) as Record<string, unknown>;
    const codes = Array.isArray(details) ? details.map((each) => isObject(each) && each['error_code']) : [];
    return [...codes, error, scimType].find((each): each is string => typeof each === 'string');
  } catch {
    return undefined;
  }
}
