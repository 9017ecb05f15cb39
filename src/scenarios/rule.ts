import type { Operation } from '../contract/compiled.ts';
import { MAX_LISTED, type Complaints } from './complaints.ts';
import { checkCondition } from './condition-check.ts';
import { readCondition, readPath, type Condition, type Requirement } from './condition.ts';
import { readEffects, type Effects, type WrittenEffects } from './effects.ts';
import type { WrittenFault } from './faults.ts';
import type { Path } from './path.ts';
import type { Steps } from './steps.ts';
import type { On, RuleContracts, Target, Targets } from './target.ts';

/** A rule as the scenario file has it. */
export interface WrittenRule extends WrittenEffects {
  if_given?: string | string[];
  unless_given?: string | string[];
  on: On;
  when?: Condition;
  after?: number;
  every?: number;
  probability?: number;
  times?: number;
}

export interface Rule {
  /** The included scenario that contains the rule; absent: the scenario itself. */
  readonly from?: string;
  /** The index in that scenario. */
  readonly index: number;
  /** For example `late-invite.yaml:17:5: rules[0]`. */
  readonly place: string;
  /** As the scenario file has it. */
  readonly on: On;
  readonly when: Condition | undefined;
  readonly target: Target;
  /** What a call must have to match. */
  readonly requirements: readonly Requirement[];
  /** Matching calls that pass before the rule applies. */
  readonly after: number;
  /** Then the rule applies to every n-th matching call. */
  readonly every: number;
  /** The probability in [0, 1] for each of those; undefined: always. */
  readonly probability: number | undefined;
  /** Undefined: without limit. */
  readonly times: number | undefined;
  readonly effects: Effects;
  /** The following rules are considered, too. */
  readonly continues: boolean;
}

interface RuleSource extends Omit<RuleContracts, 'operations'> {
  readonly targets: Targets;
}

/** Checks the parts whose format is valid. The result counts only without complaints. */
export function* readRule(
  rule: WrittenRule,
  index: number,
  source: RuleSource,
  complaints: Complaints,
): Steps<Rule> {
  const at = ['rules', index];
  const { on, when, after = 0, every = 1, probability, times, continue: continues = false } = rule;
  const isSound = (member: keyof WrittenRule) =>
    rule[member] !== undefined && complaints.isClean([...at, member]);
  const target: Target = isSound('on')
    ? source.targets.find(on, [...at, 'on'], complaints)
    : { operations: [] };
  const promised = { ...source, operations: target.operations };
  if (when && promised.operations.length > 0) checkCondition(when, [...at, 'when'], promised, complaints);
  checkKind(rule, at, target.operations, complaints);
  const effects = yield* readEffects(rule, at, promised, complaints);
  const requirements = complaints.isClean(at) ? readRequirements(target, when) : [];
  const place = complaints.placeOf(at);
  const limits = { after, every, probability, times };
  return { index, place, on, when, target, requirements, ...limits, effects, continues };
}

const readRequirements = ({ path }: Target, when: Condition = {}): Requirement[] => [
  ...(path === undefined ? [] : [readPath(path)]),
  ...readCondition(when),
];

/** Conditions that only calls have, and faults that only answers to callers have. */
const CALL_CONDITIONS = ['path', 'query', 'headers', 'caller', 'protocol'] as const;
const ANSWER_FAULTS: readonly (keyof WrittenFault)[] = ['truncate', 'garbage', 'dribble', 'lose'];

/** Complains of members that do not fit what the rule listens to: calls, webhooks or interceptors. */
function checkKind(
  rule: WrittenRule,
  at: Path,
  operations: readonly Operation[],
  complaints: Complaints,
): void {
  const complain = (path: Path, message: string) => complaints.add([...at, ...path], message, 'key');
  const kinds = new Set(operations.map(({ sent = 'call' }) => sent));
  if (kinds.size > 1)
    complain(
      ['on'],
      `a rule listens to calls, to webhooks or to interceptors: this one names ${list(kinds)}s`,
    );
  if (kinds.size !== 1) return;
  if (rule.deliver && !kinds.has('webhook'))
    complain(['deliver'], 'only webhooks are delivered: see `on: webhook.*`');
  if (kinds.has('call')) {
    if (rule.when?.to !== undefined)
      complain(['when', 'to'], 'only rules for webhooks and interceptors have the condition `to`');
    return;
  }
  for (const member of CALL_CONDITIONS)
    if (rule.when?.[member] !== undefined)
      complain(
        ['when', member],
        'only rules for calls have this condition; webhooks and interceptors have `body` and `to`',
      );
  complainOfAnswers(rule, complain);
}

/** For webhooks and interceptors, the rule answers in the receiver's place. */
function complainOfAnswers(
  { reply, fault = {} }: WrittenRule,
  complain: (path: Path, message: string) => void,
) {
  if (reply && 'error' in reply)
    complain(
      ['reply', 'error'],
      'only rules for calls reply with a named failure; for webhooks and interceptors, give a `status`',
    );
  for (const member of ANSWER_FAULTS)
    if (fault[member] !== undefined)
      complain(
        ['fault', member],
        'only rules for calls have this fault; for webhooks and interceptors, write a `reply`',
      );
  if (fault.disconnect === 'middle')
    complain(
      ['fault', 'disconnect'],
      'webhooks and interceptors can be disconnected only with `before` or `reset`',
    );
}

const list = (kinds: ReadonlySet<string>) => [...kinds].join('s and ');

/** The first rule that takes every call of an operation. */
type Taken = ReadonlyMap<Operation, Rule>;

/** Warns of each rule that no call can reach because earlier rules take every call of its operations. */
export function* warnOfUnreached(rules: readonly Rule[]): Steps<string[]> {
  const takers = new Map<Operation, Rule>();
  const lines: string[] = [];
  let notListed = 0;
  for (const rule of rules) {
    yield;
    if (isTaken(rule, takers)) {
      if (lines.length < MAX_LISTED) lines.push(warningOf(rule, takers));
      else notListed += 1;
    } else if (takesAll(rule)) {
      for (const operation of rule.target.operations) if (!takers.has(operation)) takers.set(operation, rule);
    }
  }
  return notListed === 0 ? lines : [...lines, `and ${notListed} more rules are never applied`];
}

const isTaken = ({ target: { operations } }: Rule, takers: Taken) =>
  takers.size > 0 && operations.length > 0 && operations.every((operation) => takers.has(operation));

function warningOf(rule: Rule, taken: Taken): string {
  const takers = [...new Set(rule.target.operations.map((operation) => taken.get(operation)!))];
  const verb = takers.length === 1 ? 'takes' : 'take';
  const listed = `${takers.map(nameOf).join(' and ')} ${verb} every call of ${written(rule.on)} first`;
  return `${rule.place}: warning: never applied: ${listed}`;
}

/** Whether the rule applies to every call of its operations. */
const takesAll = ({ requirements, after, every, probability = 1, times, continues }: Rule) =>
  !continues &&
  requirements.length === 0 &&
  after === 0 &&
  every === 1 &&
  probability === 1 &&
  times === undefined;

const nameOf = ({ from, index, on }: Rule) =>
  `${from === undefined ? '' : `${from} `}rules[${index}] (on ${written(on)})`;

function written(on: On): string {
  if (typeof on === 'string') return on;
  return Array.isArray(on) ? on.join(', ') : [on.method, on.path].filter(Boolean).join(' ');
}
