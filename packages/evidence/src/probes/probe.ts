import { UsageError } from '@understudy/core/cli/usage-error';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { PACKAGE_ROOT } from '@understudy/text/files';
import { type Condition, readCondition } from '@understudy/core/scenarios/condition';
import { valueOfYaml } from '@understudy/core/scenarios/yaml-text';
import { parseDuration } from '@understudy/text/duration';
import { isObject } from '@understudy/text/json';
import { suggest } from '@understudy/text/suggestion';
import { nameOf, type Call } from './caller.ts';

/** What the answer to a step must be. `body` and `headers` are as in a scenario's `when`. */
export interface Expectation {
  /** Or a list of statuses, one of which must come. */
  status?: number | readonly number[];
  body?: Record<string, unknown>;
  headers?: Record<string, unknown>;
  /** How long after the answer the times of the body are, such as `{ link.expire_time: 1m }`. */
  lifetimes?: Record<string, string>;
}

/** One call. Without `expect`, any status under 400 will do; then the step only prepares the question. */
export interface Step extends Call {
  /** Values of the answer's body, or of its `headers`, by a name of their own, as `${name}` in later steps. */
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
export type Undo = Pick<Step, 'query' | 'body' | 'token'> & { call: string };

/** A question to a service: whether it does what a rule of the ledger says. */
export interface Probe {
  /** The id of the rule, such as `roles/absent-permission`. */
  rule: string;
  steps: Step[];
}

/** A file of probes that cannot be used. The message names file, probe and step. */
export class ProbeError extends UsageError {}

const STEP_MEMBERS: readonly string[] = [
  'call',
  'rpc',
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
/** What HTTP has and an RPC has not. */
const OF_HTTP = ['query', 'form'];
const RPC = /^[a-z]\w*(\.\w+)*\.[A-Z]\w*\/[A-Z]\w*$/;
const EXPECTATIONS: readonly string[] = [
  'status',
  'body',
  'headers',
  'lifetimes',
] satisfies (keyof Expectation)[];
const CALL = /^(GET|POST|PUT|PATCH|DELETE) (\/\S*|\$\{\w+\})$/;
const NAME = /\$\{([^{}]*)\}/g;

/**
 * What every probe may name. `prefix` begins the name of all that a run makes, `run` is its part that differs, and
 * `megabyte` is a text of more than 1 MB.
 */
const GIVEN_NAMES: readonly string[] = [
  'prefix',
  'run',
  'url',
  'client_id',
  'client_secret',
  'token',
  'megabyte',
];

/** Those that only what the run makes has. */
const OWN_NAMES = ['prefix', 'run'];

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
  const probes = parsed(file, text);
  if (!Array.isArray(probes)) throw new ProbeError(`${file}: must be a list of probes`);
  for (const [index, probe] of probes.entries())
    for (const problem of problemsOf(probe))
      throw new ProbeError(`${file}: probe ${index + 1}${ruleOf(probe)}: ${problem}`);
  return probes as Probe[];
}

function parsed(file: string, text: string): unknown {
  try {
    return valueOfYaml(text);
  } catch (thrown) {
    throw new ProbeError(`${file}: ${(thrown as SyntaxError).message}`);
  }
}

const ruleOf = (probe: unknown) =>
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
  const own = new Set(OWN_NAMES);
  for (const [index, step] of (steps as unknown[]).entries()) {
    for (const problem of problemsOfStep(step, known, own)) yield `step ${index + 1}: ${problem}`;
    if (!isObject(step) || !isObject(step['keep'])) continue;
    for (const name of Object.keys(step['keep'])) known.add(name);
    if (tellsOfOwn(step as unknown as Step, own)) for (const name of Object.keys(step['keep'])) own.add(name);
  }
  if (!(steps as Step[]).some(({ expect }) => expect)) yield 'no step has an expect';
}

/** Whether the answer is about what the run has made: other lists have rows of everybody. */
const tellsOfOwn = (step: Step, own: ReadonlySet<string>): boolean =>
  kindOf(step) === 'makes' || step.undo !== undefined || isOwn([nameOf(step), step.query, step.body], own);

const isOwn = (value: unknown, own: ReadonlySet<string>) => [...namesIn(value)].some((name) => own.has(name));

function* problemsOfStep(
  step: unknown,
  known: ReadonlySet<string>,
  own: ReadonlySet<string>,
): Generator<string> {
  if (!isObject(step)) {
    yield 'is no object';
    return;
  }
  for (const name of Object.keys(step))
    if (!STEP_MEMBERS.includes(name)) yield `unknown member ${name}${suggest(name, STEP_MEMBERS)}`;
  const { call, rpc, undo, keep, needs, expect, within, ...values } = step;
  const [flaw] = flawsOfName(step);
  if (flaw !== undefined) {
    yield flaw;
    return;
  }
  if (undo !== undefined) yield* problemsOfUndo(undo);
  if (keep !== undefined && !isObject(keep)) yield 'keep must be an object';
  const kept = new Set([...known, ...Object.keys(isObject(keep) ? keep : {})]);
  for (const name of namesIn([call, rpc, values, needs, expect]))
    if (!known.has(name)) yield `no step before it keeps ${name}${suggest(name, [...known])}`;
  for (const name of namesIn([undo, keep])) if (!kept.has(name)) yield `no step keeps ${name}`;
  if (needs !== undefined) yield* problemsOfExpectation(needs, 'needs');
  if (expect !== undefined) yield* problemsOfExpectation(expect, 'expect');
  if (within !== undefined && (!Number.isInteger(within) || expect === undefined))
    yield 'within must be a number of seconds, in a step with expect';
  yield* dangersOf(step as unknown as Step, own);
}

function* flawsOfName({ call, rpc, ...others }: Record<string, unknown>): Generator<string> {
  if (rpc === undefined) {
    if (typeof call !== 'string' || !CALL.test(call)) yield 'call must be a method and a path';
    return;
  }
  if (call !== undefined) yield 'give call or rpc, not both';
  if (typeof rpc !== 'string' || !RPC.test(rpc))
    yield 'rpc must be a service and a method, such as scalekit.v1.roles.RolesService/DeleteRole';
  for (const name of OF_HTTP)
    if (others[name] !== undefined) yield `an rpc has no ${name}: its message is the body`;
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
  const { lifetimes = {}, ...condition } = expect;
  if (!isObject(lifetimes) || !Object.values(lifetimes).every(isDuration))
    yield `${at}.lifetimes must name durations, such as 1m`;
  try {
    readCondition(condition as Condition);
  } catch (thrown) {
    yield `${at}: ${thrown instanceof Error ? thrown.message : String(thrown)}`;
  }
}

const isDuration = (value: unknown) => typeof value === 'string' && parseDuration(value) !== undefined;

/**
 * A probe runs against an environment that others use: it may touch only what it has made itself. Some calls name the
 * row in the body.
 */
function* dangersOf(step: Step, owned: ReadonlySet<string>): Generator<string> {
  const { query, body, keep, undo, leaves, cannot_undo } = step;
  const name = nameOf(step);
  const kind = kindOf(step);
  if (kind === 'reads') {
    if (undo !== undefined && !isOwn([name, query, keep], owned))
      yield `the undo of ${name} could remove what the probe did not make`;
    return;
  }
  const named = step.rpc === undefined ? namedInBody(body) : namedInMessage(body);
  // A refusal is only expected: the service may do it nevertheless.
  if (kind === 'changes' && !isOwn([name, query, named], owned))
    yield `${name} could change what the probe did not make`;
  const isTold = undo !== undefined || leaves !== undefined || cannot_undo !== undefined;
  if (kind === 'makes' && !isTold)
    yield `${step.rpc === undefined ? 'a POST' : 'such an RPC'} must say what becomes of what it makes: undo, leaves: nothing, or cannot_undo`;
}

const namedInBody = (body: unknown) => (isObject(body) ? [body['id'], body['definition']] : []);

/** The members of a message that name the row. */
const namedInMessage = (message: unknown) =>
  isObject(message) ? Object.entries(message).filter(([name]) => /(id|name)$/i.test(name)) : [];

/** The name of an RPC says what it does. */
function kindOf({ call = '', rpc }: Step): 'reads' | 'makes' | 'changes' {
  if (rpc !== undefined) {
    const name = rpc.slice(rpc.indexOf('/') + 1);
    if (/^(Get|List|Search)/.test(name)) return 'reads';
    return /^(Update|Delete|Remove|Enable|Disable|Set)/.test(name) ? 'changes' : 'makes';
  }
  return call.startsWith('GET ') ? 'reads' : call.startsWith('POST ') ? 'makes' : 'changes';
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
