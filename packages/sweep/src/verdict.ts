import type { Failure } from './catalogue.ts';
import {
  conflictIn,
  evidenceIn,
  hasNewToken,
  hasSameCalls,
  isRefused,
  pauseBefore,
  rowsCreated,
  secondWrite,
  writesOf,
  type Evidence,
} from './evidence.ts';
import type { TestRun } from './runs/seen.ts';
import { counted } from '@understudy/text/words';

/** What a test did with a failure. */
export type VerdictName =
  | 'handled'
  | 'shown'
  | 'not reached'
  | 'broken'
  | 'crashed'
  | 'hung'
  | 'wrote twice'
  | 'conflict by retry'
  | 'stormed'
  | 'lost'
  | 'kept an expired token'
  | 'gave up'
  | 'read one page'
  | 'took it for success'
  | 'took a bad signature';

export interface Verdict {
  name: VerdictName;
  /** Whether the evidence shows a fault. If not, a test that fails has only expected success. */
  isFault: boolean;
  /** One sentence: what shows it. */
  evidence: string;
  /** Ids of the calls that show it. */
  calls: readonly string[];
}

/** A test in the run with the failure, and in the first run. */
interface Observed {
  failure: Failure;
  /** The number of the failure's rule. */
  rule: number;
  first: TestRun;
  run: TestRun;
  /** The process of the tests ended by itself, without a result for this test. */
  hasCrashed: boolean;
  /** The same test with a known bad value in the answer, for failures that have such a control. */
  control?: TestRun | undefined;
}

export function verdictOf(observed: Observed): Verdict {
  const { run, failure, rule } = observed;
  const evidence = evidenceIn(run, rule);
  if (isDelivery(failure)) return deliveryVerdict(observed);
  if (!evidence) return notReached(run);
  return (
    endOf(observed, evidence) ??
    faultIn(observed, evidence) ??
    (run.outcome === 'passed' ? passed(observed, evidence) : failed(observed, evidence))
  );
}

const isDelivery = ({ blames }: Failure) => blames === 'webhooks';

const fault = (name: VerdictName, evidence: string, ...calls: { id: string }[]): Verdict => ({
  name,
  isFault: true,
  evidence,
  calls: calls.map(({ id }) => id),
});

const fine = (name: VerdictName, evidence: string, ...calls: { id: string }[]): Verdict => ({
  ...fault(name, evidence, ...calls),
  isFault: false,
});

const notReached = ({ outcome }: TestRun): Verdict =>
  fine(
    'not reached',
    outcome === 'passed'
      ? 'the test made no such call this time'
      : 'the test did not pass, although the failure did not happen: it may depend on other tests',
  );

/** A test that has no result. */
function endOf({ run, hasCrashed, failure }: Observed, { met }: Evidence): Verdict | undefined {
  if (hasCrashed)
    return fault('crashed', `the process of the tests ended after the answer to ${met.id}`, met);
  if (run.outcome === 'unfinished') return fault('hung', `the test did not end after ${met.id}`, met);
  if (failure.kind === 'late' && met.isOpen)
    return fault(
      'hung',
      `${met.id} was still waiting for its answer ${seconds(met.end - met.start)} later, when the test ended`,
      met,
    );
  return undefined;
}

const seconds = (milliseconds: number) => `${(milliseconds / 1000).toFixed(1)} s`;

function faultIn(observed: Observed, evidence: Evidence): Verdict | undefined {
  switch (observed.failure.kind) {
    case 'lost':
      return afterLostAnswer(observed, evidence);
    case 'limited':
      return afterLimit(evidence);
    case 'expired':
      return afterExpiry(evidence);
    case 'more pages':
      return afterFirstPage(evidence);
    case 'unknown value':
      return afterUnknownValue(observed, evidence);
    default:
      return undefined;
  }
}

function afterLostAnswer({ run }: Observed, evidence: Evidence): Verdict | undefined {
  const { met } = evidence;
  const second = secondWrite(evidence);
  if (second)
    return fault(
      'wrote twice',
      `${met.id} was carried out and its answer was lost; ${second.id} did the same again: two rows`,
      met,
      second,
    );
  const conflict = conflictIn(evidence);
  if (conflict && run.outcome !== 'passed')
    return fault(
      'conflict by retry',
      `${conflict.id} repeats ${met.id} and meets the row that ${met.id} created`,
      met,
      conflict,
    );
  return undefined;
}

/** Repeated calls within this time, in milliseconds, have no pause. */
const NO_PAUSE = 100;
/** So many calls without a pause are a storm. */
const STORM = 4;
/** Timers are not exact. */
const TOLERANCE = 0.9;

function afterLimit(evidence: Evidence): Verdict | undefined {
  const { met, again } = evidence;
  const pause = pauseBefore(evidence);
  if (pause === undefined) return undefined;
  if (met.retryAfter !== undefined && pause < met.retryAfter * 1000 * TOLERANCE)
    return fault(
      'stormed',
      `${met.id} asks to wait ${met.retryAfter} s, and ${again[0]!.id} comes after ${seconds(pause)}`,
      met,
      again[0]!,
    );
  const hasty = again.filter((call, index) => call.start - (again[index - 1] ?? met).end < NO_PAUSE);
  if (hasty.length >= STORM)
    return fault(
      'stormed',
      `${counted(hasty.length, 'call')} follow ${met.id} without a pause`,
      met,
      ...hasty,
    );
  return undefined;
}

function afterExpiry(evidence: Evidence): Verdict | undefined {
  const { met, later } = evidence;
  if (hasNewToken(evidence)) return undefined;
  const same = later.filter(({ token }) => token !== undefined && token === met.token);
  const told = `the service says in the answer to ${met.id} that the token has expired`;
  return same.length > 0
    ? fault(
        'kept an expired token',
        `${told}, and ${counted(same.length, 'later call')} still had it`,
        met,
        ...same.slice(0, 3),
      )
    : fault('kept an expired token', `${told}, and no new one was fetched`, met);
}

function afterFirstPage({ met, again }: Evidence): Verdict | undefined {
  const hasGoneOn = again.some(({ query }) => query['page_token']);
  return hasGoneOn
    ? undefined
    : fault(
        'read one page',
        `the answer to ${met.id} has a next_page_token, and no call asked for that page`,
        met,
      );
}

/** The application looks at the value, since a known bad one changes what it does, and treats the unknown one like the good one. */
function afterUnknownValue({ first, run, control }: Observed, { met }: Evidence): Verdict | undefined {
  if (!control || run.outcome !== 'passed' || !hasSameCalls(run, first)) return undefined;
  const matters = control.outcome !== 'passed' || !hasSameCalls(control, first);
  return matters
    ? fault(
        'took it for success',
        `after the unknown value in the answer to ${met.id}, the test goes on as after the good one; a known bad value changes what it does`,
        met,
      )
    : undefined;
}

function passed({ first, run, failure }: Observed, { met, again, repeats }: Evidence): Verdict {
  const made = again.find((call) => !isRefused(call));
  const known = first.calls.find(({ operation }) => operation === met.operation);
  const wasWritten = writesOf(first, met.operation) > writesOf(run, met.operation);
  if ((failure.kind === 'refused' || failure.kind === 'limited') && wasWritten)
    return fault('lost', `the test passes, but what ${met.id} should have written is nowhere`, met);
  if (made && repeats.length > 0)
    return fine(
      'handled',
      `${made.id} made the call again, ${seconds(made.start - met.end)} later`,
      met,
      made,
    );
  if (known && isRefused(known)) return fine('shown', 'the test expects this call to fail', met);
  return fine('handled', 'the test passes without this answer', met);
}

function failed({ failure }: Observed, { met, again }: Evidence): Verdict {
  if (failure.isSurvivable && failure.kind === 'limited' && again.length === 0)
    return fault('gave up', `${met.id} asks to try again in ${met.retryAfter} s, and no call followed`, met);
  if (failure.isSurvivable)
    return fault('broken', `the service promises that clients get through this: ${failure.why}`, met);
  return fine('broken', 'the test expected success', met);
}

function deliveryVerdict({ failure, rule, first, run, hasCrashed }: Observed): Verdict {
  if (!run.hits[rule]) return notReached(run);
  if (hasCrashed) return fault('crashed', 'the process of the tests ended after the webhook');
  if (run.outcome === 'unfinished') return fault('hung', 'the test did not end after the webhook');
  const [before, now] = [rowsCreated(first), rowsCreated(run)];
  if (failure.kind === 'twice' && now > before)
    return fault(
      'wrote twice',
      `the webhook came twice, and the application created ${counted(now, 'row')} instead of ${before}`,
      ...run.calls.filter(({ writes }) => writes.length > 0),
    );
  const [answer] = run.deliveries.flatMap(({ changed }) =>
    changed.flatMap((each) => (each.rule === rule ? (each.status ?? []) : [])),
  );
  if (failure.kind === 'badly signed' && answer !== undefined && answer < 300)
    return fault(
      'took a bad signature',
      `the application answered ${answer} to a webhook with a wrong signature`,
    );
  if (run.outcome === 'passed') return fine('handled', 'the test passes');
  return failure.isSurvivable
    ? fault('broken', `the service promises that clients get through this: ${failure.why}`)
    : fine('broken', 'the test expected success');
}
