import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parseDocument } from 'yaml';
import { PACKAGE_ROOT } from '../files.ts';
import { type Condition, readCondition } from '../scenarios/condition.ts';
import { isObject } from '../text/json.ts';
import { suggest } from '../text/suggestion.ts';

/** What the answer to a step must be. `body` and `headers` are as in a scenario's `when`. */
export interface Expectation {
  /** Or a list of statuses, one of which must come. */
  status?: number | readonly number[];
  body?: Record<string, unknown>;
  headers?: Record<string, unknown>;
}

/** One call. Without `expect`, any status under 400 will do; then the step only prepares the question. */
export interface Step {
  /** Such as `POST /api/v1/organizations`. */
  call: string;
  query?: Record<string, unknown>;
  headers?: Record<string, string>;
  /** Sent as JSON. */
  body?: unknown;
  /** Sent as a form. */
  form?: Record<string, string>;
  /** `none`, or a token. Without it, the token of the client. */
  token?: string;
  /** Values of the answer's body by a name of their own, as `${name}` in later steps. */
  keep?: Record<string, string>;
  /** The call that removes what the step has made, such as `DELETE /api/v1/organizations/${org}`. */
  undo?: string | Undo;
  /** The step makes nothing, or what it makes goes with what another step undoes. */
  leaves?: 'nothing';
  /** What the step makes and no call can remove. */
  cannot_undo?: string;
  /** What must be so for the question to make sense. If it is not, the probe has not run. */
  needs?: Expectation;
  expect?: Expectation;
  /** For how many seconds a call that reads is repeated until the answer is as expected. */
  within?: number;
}

/** A call that removes something and needs more than a path. */
export type Undo = Pick<Step, 'call' | 'query' | 'body' | 'token'>;

/** A question to a service: whether it does what a rule of the ledger says. */
export interface Probe {
  /** The id of the rule, such as `roles/absent-permission`. */
  rule: string;
  steps: Step[];
}

/** A file of probes that cannot be used. The message names file, probe and step. */
export class ProbeError extends Error {}

const STEP_MEMBERS: readonly string[] = [
  'call',
  'query',
  'headers',
  'body',
  'form',
  'token',
  'keep',
  'undo',
  'leaves',
  'cannot_undo',
  'needs',
  'expect',
  'within',
] satisfies (keyof Step)[];
const UNDO_MEMBERS: readonly string[] = ['call', 'query', 'body', 'token'] satisfies (keyof Undo)[];
const EXPECTATIONS: readonly string[] = ['status', 'body', 'headers'] satisfies (keyof Expectation)[];
const CALL = /^(GET|POST|PUT|PATCH|DELETE) (\/\S*)$/;
const NAME = /\$\{([^{}]*)\}/g;

/** What every probe may name. `prefix` begins the name of all that a run makes, `run` is its part that differs. */
export const GIVEN_NAMES: readonly string[] = ['prefix', 'run', 'url', 'client_id', 'client_secret', 'token'];

/** The probes of the package. `only`: an area such as `roles`, or a rule. Throws ProbeError if there is none. */
export function shippedProbes(only?: string): Probe[] {
  const folder = join(PACKAGE_ROOT, 'probes');
  const files = readdirSync(folder).filter((name) => name.endsWith('.yaml'));
  const probes = files
    .toSorted()
    .flatMap((name) => readProbes(`probes/${name}`, readFileSync(join(folder, name), 'utf8')));
  if (only === undefined) return probes;
  const found = probes.filter(({ rule }) => rule === only || rule.startsWith(`${only}/`));
  if (found.length > 0) return found;
  const areas = files.map((name) => basename(name, '.yaml'));
  throw new ProbeError(`no probe of ${only}${suggest(only, [...areas, ...probes.map(({ rule }) => rule)])}`);
}

/** Throws ProbeError. */
export function readProbes(file: string, text: string): Probe[] {
  const document = parseDocument(text);
  const [fault] = document.errors;
  if (fault) throw new ProbeError(`${file}: ${fault.message}`);
  const probes = document.toJS() as unknown;
  if (!Array.isArray(probes)) throw new ProbeError(`${file}: must be a list of probes`);
  for (const [index, probe] of probes.entries())
    for (const problem of problemsOf(probe))
      throw new ProbeError(`${file}: probe ${index + 1}${nameOf(probe)}: ${problem}`);
  return probes as Probe[];
}

const nameOf = (probe: unknown) =>
  isObject(probe) && typeof probe['rule'] === 'string' ? ` (${probe['rule']})` : '';

function* problemsOf(probe: unknown): Generator<string> {
  if (!isObject(probe) || typeof probe['rule'] !== 'string') {
    yield 'needs a rule';
    return;
  }
  const { steps } = probe;
  if (!Array.isArray(steps) || steps.length === 0) {
    yield 'needs steps';
    return;
  }
  const known = new Set(GIVEN_NAMES);
  for (const [index, step] of (steps as unknown[]).entries()) {
    for (const problem of problemsOfStep(step, known)) yield `step ${index + 1}: ${problem}`;
    if (isObject(step) && isObject(step['keep']))
      for (const name of Object.keys(step['keep'])) known.add(name);
  }
  if (!(steps as Step[]).some(({ expect }) => expect)) yield 'no step has an expect';
}

function* problemsOfStep(step: unknown, known: ReadonlySet<string>): Generator<string> {
  if (!isObject(step)) {
    yield 'is no object';
    return;
  }
  for (const name of Object.keys(step))
    if (!STEP_MEMBERS.includes(name)) yield `unknown member ${name}${suggest(name, STEP_MEMBERS)}`;
  const { call, undo, keep, needs, expect, within, ...values } = step;
  if (typeof call !== 'string' || !CALL.test(call)) {
    yield 'call must be a method and a path';
    return;
  }
  if (undo !== undefined) yield* problemsOfUndo(undo);
  if (keep !== undefined && !isObject(keep)) yield 'keep must be an object';
  const kept = new Set([...known, ...Object.keys(isObject(keep) ? keep : {})]);
  for (const name of namesIn([call, values, needs, expect]))
    if (!known.has(name)) yield `no step before it keeps ${name}${suggest(name, [...known])}`;
  for (const name of namesIn([undo, keep])) if (!kept.has(name)) yield `no step keeps ${name}`;
  if (needs !== undefined) yield* problemsOfExpectation(needs, 'needs');
  if (expect !== undefined) yield* problemsOfExpectation(expect, 'expect');
  if (within !== undefined && (!Number.isInteger(within) || expect === undefined))
    yield 'within must be a number of seconds, in a step with expect';
  yield* dangersOf(step as unknown as Step);
}

function* problemsOfUndo(undo: unknown): Generator<string> {
  const { call, ...rest } = isObject(undo) ? undo : { call: undo };
  if (typeof call !== 'string' || !CALL.test(call)) yield 'undo must be a method and a path';
  for (const name of Object.keys(rest))
    if (!UNDO_MEMBERS.includes(name)) yield `unknown member undo.${name}${suggest(name, UNDO_MEMBERS)}`;
}

function* problemsOfExpectation(expect: unknown, at: 'needs' | 'expect'): Generator<string> {
  if (!isObject(expect) || Object.keys(expect).length === 0) {
    yield `${at} must have a member`;
    return;
  }
  for (const name of Object.keys(expect))
    if (!EXPECTATIONS.includes(name)) yield `unknown member ${at}.${name}${suggest(name, EXPECTATIONS)}`;
  const statuses = [expect['status'] ?? []].flat();
  if (!statuses.every(Number.isInteger)) yield `${at}.status must be a status or a list of statuses`;
  try {
    readCondition(expect as Condition);
  } catch (thrown) {
    yield `${at}: ${thrown instanceof Error ? thrown.message : String(thrown)}`;
  }
}

/**
 * A probe runs against an environment that others use: it may touch only what it has made itself. Some calls name the
 * row in the body.
 */
function* dangersOf({ call, query, body, undo, leaves, cannot_undo, expect }: Step): Generator<string> {
  const [method = ''] = call.split(' ');
  if (method === 'GET') return;
  const named = isObject(body) ? [body['id'], body['definition']] : [];
  const own = [...namesIn([call, query, named])].some(
    (name) => name === 'run' || name === 'prefix' || !GIVEN_NAMES.includes(name),
  );
  const isFailure = [expect?.status ?? []].flat().some((status) => status >= 400);
  if (method !== 'POST' && !own && !isFailure) yield `${call} could change what the probe did not make`;
  const isTold = undo !== undefined || leaves !== undefined || cannot_undo !== undefined;
  if (method === 'POST' && !isTold && !isFailure)
    yield 'a POST must say what becomes of what it makes: undo, leaves: nothing, or cannot_undo';
}

/** The names of the placeholders in a value. */
export function namesIn(value: unknown): Set<string> {
  const texts = JSON.stringify(value ?? null).matchAll(NAME);
  return new Set(Array.from(texts, ([, name]) => name!));
}

/** `${name}` alone becomes the value, inside a text it becomes text. */
export function fill(value: unknown, values: ReadonlyMap<string, unknown>): unknown {
  if (typeof value === 'string') {
    const whole = /^\$\{([^{}]*)\}$/.exec(value)?.[1];
    if (whole !== undefined) return values.get(whole);
    return value.replace(NAME, (_, name: string) => String(values.get(name)));
  }
  if (Array.isArray(value)) return value.map((each) => fill(each, values));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, fill(each, values)]));
}
