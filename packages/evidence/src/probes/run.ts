import type { Operation } from '@understudy/core/contract/compiled';
import { factsOfMessage } from '@understudy/core/scenarios/call-facts';
import { readCondition, memberOf } from '@understudy/core/scenarios/condition';
import { formatPath } from '@understudy/core/scenarios/path';
import { parseDuration } from '@understudy/text/duration';
import { isObject } from '@understudy/text/json';
import { shortened } from '@understudy/text/suggestion';
import { Caller, nameOf, Obstacle, Unanswered, type Answer, type Service } from './caller.ts';
import { fill, namesIn, type Expectation, type Probe, type Step, type Undo } from './probe.ts';

/** The service that is asked, and the names of what a run makes there. When it stops, what was made is still removed. */
export interface Target extends Service {
  /** The beginning of the name of all that the run makes. Lower-case letters, digits and hyphens. */
  prefix: string;
  /** The part of names that differs from run to run. Lower-case letters and digits. */
  run: string;
}

/** `same`: as the rule says. `not run`: the question could not be put; `why` says what came in the way. */
export interface Verdict {
  rule: string;
  verdict: 'same' | 'different' | 'not run';
  differences: string[];
  why?: string;
  /** What could not be removed again. */
  left: string[];
}

const MEGABYTE = 'x'.repeat(1_100_000);

const WROTE: readonly number[] = [200, 201, 202, 204, 404];

/** Runs the probes one after the other. `told` hears of each verdict. */
export async function runProbes(
  probes: readonly Probe[],
  target: Target,
  told: (verdict: Verdict) => void,
): Promise<Verdict[]> {
  const caller = new Caller(target);
  const verdicts: Verdict[] = [];
  for (const probe of probes) {
    if (target.signal.aborted) break;
    const verdict = await new ProbeRun(probe, caller, target).verdict();
    verdicts.push(verdict);
    told(verdict);
  }
  return verdicts;
}

/** One probe: its values, and what has to be removed again. */
class ProbeRun {
  readonly #probe: Probe;
  readonly #caller: Caller;
  readonly #wait: Target['wait'];
  readonly #values: Map<string, unknown>;
  readonly #undo: Undo[] = [];
  readonly #left: string[] = [];
  /** How many steps are done. */
  #done = 0;

  constructor(probe: Probe, caller: Caller, target: Target) {
    this.#probe = probe;
    this.#caller = caller;
    const { url, prefix, run, clientId, clientSecret, wait } = target;
    this.#wait = wait;
    const given = { url, prefix, run, client_id: clientId, client_secret: clientSecret, megabyte: MEGABYTE };
    this.#values = new Map(Object.entries(given));
  }

  async verdict(): Promise<Verdict> {
    const { rule } = this.#probe;
    try {
      const differences = await this.#differences();
      const verdict = differences.length === 0 ? 'same' : 'different';
      return { rule, verdict, differences, left: await this.#cleanUp() };
    } catch (thrown) {
      const why = thrown instanceof Error ? thrown.message : String(thrown);
      return { rule, verdict: 'not run', differences: [], why, left: await this.#cleanUp() };
    }
  }

  async #differences(): Promise<string[]> {
    this.#values.set('token', await this.#caller.token());
    for (const [index, written] of this.#probe.steps.entries()) {
      const step = fill(written, this.#values) as Step;
      const place = `step ${index + 1}, ${nameOf(step)}`;
      const answer = await this.#answer(step).catch((thrown: unknown) => {
        if (thrown instanceof Unanswered) this.#doubt(written, thrown.message);
        throw thrown;
      });
      if (answer.status >= 500) this.#doubt(written, `${nameOf(step)} answered ${answer.status}`);
      if (answer.status < 400) this.#remember(written, answer);
      const [unmet] = step.needs ? differencesOf(step.needs, answer) : [];
      if (unmet !== undefined) throw new Obstacle(`${place}: ${unmet}`);
      if (step.expect) {
        const differences = differencesOf(step.expect, answer).map((each) => `${place}: ${each}`);
        if (differences.length > 0) return differences;
      } else if (answer.status >= 400 && step.needs?.status === undefined)
        throw new Obstacle(`${place}: answered ${answer.status}: ${messageIn(answer)}`);
      if (answer.status < 400) this.#check(written, place);
      this.#done = index + 1;
    }
    return [];
  }

  /** Asks again every second for as long as the step says, for services that write later than they answer. */
  async #answer(step: Step): Promise<Answer> {
    for (let second = 0; ; second++) {
      const answer = await this.#caller.call(step, { isQuestion: step.expect !== undefined });
      if (second >= (step.within ?? 0) || differencesOf(step.expect ?? {}, answer).length === 0)
        return answer;
      await this.#wait(1000);
    }
  }

  /** A service without a good answer may have made something nevertheless. Where the step names it, it is removed. */
  #doubt({ undo, cannot_undo }: Step, why: string): void {
    if (undo === undefined && cannot_undo === undefined) return;
    const isNamed = undo !== undefined && [...namesIn(undo)].every((name) => this.#values.has(name));
    if (isNamed) this.#undo.push(this.#filled(undo));
    else
      this.#left.push(
        `${why}: it may have made something; its name has ${this.#values.get('run') as string}`,
      );
  }

  #filled(undo: string | Undo): Undo {
    return fill(typeof undo === 'string' ? { call: undo } : undo, this.#values) as Undo;
  }

  #remember({ keep = {}, undo, cannot_undo }: Step, { body, headers }: Answer): void {
    for (const [name, path] of Object.entries(keep))
      this.#values.set(
        name,
        path.startsWith('headers.')
          ? headers[path.slice('headers.'.length)]
          : valueAt(body, fill(path, this.#values) as string),
      );
    if (undo !== undefined) this.#undo.push(this.#filled(undo));
    if (cannot_undo !== undefined) this.#left.push(fill(cannot_undo, this.#values) as string);
  }

  /** A missing value would end up in a path. */
  #check({ keep = {} }: Step, place: string): void {
    const missing = Object.keys(keep).find((name) => this.#values.get(name) === undefined);
    if (missing !== undefined) throw new Obstacle(`${place}: the answer has no ${keep[missing]}`);
  }

  /** Later steps may find the id of what an earlier one has made. */
  async #findMade(): Promise<void> {
    if (this.#done === 0) return;
    for (const step of this.#probe.steps.slice(this.#done)) {
      const { call = '', query, undo } = step;
      const isKnown = [...namesIn([call, query])].every((name) => this.#values.has(name));
      if (!call.startsWith('GET ') || undo === undefined || !isKnown) continue;
      const found = fill(step, this.#values) as Step;
      const answer = await this.#caller.call(found, { isCleanUp: true }).catch(() => undefined);
      if (answer && answer.status < 400) this.#remember(step, answer);
      else this.#left.push(`${nameOf(found)} did not tell what has to be removed`);
    }
  }

  /** Returns what is left behind. */
  async #cleanUp(): Promise<string[]> {
    const left = this.#left;
    await this.#findMade();
    for (const undo of this.#undo.toReversed()) {
      const { call } = undo;
      if (/\/undefined(\/|$)/.test(call)) continue;
      try {
        const { status } = await this.#caller.call(undo, { isCleanUp: true });
        if (!WROTE.includes(status)) left.push(`${call} answered ${status}`);
      } catch (thrown) {
        left.push(`${call}: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
      }
    }
    return left;
  }
}

/** The value at a path such as `users.0.id`, or `roles.name=admin.id` for an element of a list; undefined if there is none. */
const valueAt = (body: unknown, path: string): unknown => path.split('.').reduce(stepInto, body);

function stepInto(value: unknown, key: string): unknown {
  if (!Array.isArray(value)) return memberOf(value, key);
  const [name = '', ...sought] = key.split('=');
  if (sought.length === 0) return value[Number(key)];
  return (value as unknown[]).find((each) => memberOf(each, name) === sought.join('='));
}

const messageIn = ({ body }: Answer) =>
  shortened(
    isObject(body) && typeof body['message'] === 'string' ? body['message'] : JSON.stringify(body ?? ''),
  );

/** What differs from the expectation, one line each. */
function differencesOf({ status, lifetimes = {}, ...condition }: Expectation, answer: Answer): string[] {
  const statuses = [status ?? []].flat();
  const wrongStatus =
    statuses.length > 0 && !statuses.includes(answer.status)
      ? [`expected status ${statuses.join(' or ')}, was ${answer.status} (${messageIn(answer)})`]
      : [];
  const facts = { ...factsOfMessage(NO_OPERATION, { body: answer.body, to: '' }), headers: answer.headers };
  const wrong = readCondition(condition).filter(({ read, test }) => !test(read(facts)));
  return [
    ...wrongStatus,
    ...Object.entries(lifetimes).flatMap(([path, wanted]) => wrongLifetime(path, wanted, answer)),
    ...wrong.map(
      ({ at, wanted, read }) =>
        `expected ${formatPath(at.slice(1))} ${shortened(JSON.stringify(wanted))}, was ${shown(read(facts))}`,
    ),
  ];
}

/** Seconds between the time of an answer and its `date`, which has no fractions. */
const TOLERANCE = 5;

/** By the clock of the service, which the header `date` shows. */
function wrongLifetime(path: string, wanted: string, { body, headers }: Answer): string[] {
  const time = valueAt(body, path);
  const seconds = (Date.parse(String(time)) - Date.parse(headers['date'] ?? '')) / 1000;
  const difference = Math.abs(seconds - parseDuration(wanted)! / 1000);
  if (difference <= TOLERANCE) return [];
  const found = Number.isNaN(seconds) ? shown(time) : `${Math.round(seconds)} seconds after it`;
  return [`expected ${path} ${wanted} after the answer, was ${found}`];
}

/** Lists may have rows of others, which are nobody's business who reads a report. */
const shown = (value: unknown) =>
  Array.isArray(value) ? `a list of ${value.length}` : shortened(JSON.stringify(value) ?? 'absent');

/** Conditions of probes do not ask for the operation. */
const NO_OPERATION = {} as Operation;
