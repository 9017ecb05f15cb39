import type { Operation } from '../contract/compiled.ts';
import type { Complaints } from './complaints.ts';
import { checkCondition } from './condition-check.ts';
import { readCondition, readPath, type Condition, type Demand } from './condition.ts';
import { readEffects, type Effects, type Promised, type WrittenEffects } from './effects.ts';
import type { WrittenFault } from './faults.ts';
import type { Path } from './path.ts';
import type { Steps } from './steps.ts';
import type { On, Target, Targets } from './target.ts';

/** A rule as the format has it. */
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
  /** The included scenario that it is written in; absent: the scenario itself. */
  readonly from?: string;
  /** Its place among the rules there. */
  readonly index: number;
  /** Where that is, such as `late-invite.yaml:17:5: rules[0]`. */
  readonly place: string;
  /** As they are written. */
  readonly on: On;
  readonly when: Condition | undefined;
  readonly target: Target;
  /** What a call of these operations must have to match. */
  readonly demands: readonly Demand[];
  /** So many matching calls pass first. */
  readonly after: number;
  /** Of those that follow, every so many-th one is taken; 1: each. */
  readonly every: number;
  /** And of those that are, so many are taken by chance, in [0, 1]; undefined: all. */
  readonly probability: number | undefined;
  /** It applies so often; undefined: without end. */
  readonly times: number | undefined;
  readonly effects: Effects;
  /** Once it is applied, the rules after it are asked too. */
  readonly goesOn: boolean;
}

/** What rules are checked against. */
export interface RuleSource extends Omit<Promised, 'operations'> {
  readonly targets: Targets;
}

/** Looks at those parts of a rule that have the right form; the result counts only when there is no complaint. */
export function* readRule(
  rule: WrittenRule,
  index: number,
  source: RuleSource,
  complaints: Complaints,
): Steps<Rule> {
  const at = ['rules', index];
  const { on, when, after = 0, every = 1, probability, times, continue: goesOn = false } = rule;
  const isSound = (member: keyof WrittenRule) =>
    rule[member] !== undefined && complaints.isClean([...at, member]);
  const target: Target = isSound('on')
    ? source.targets.find(on, [...at, 'on'], complaints)
    : { operations: [] };
  const promised = { ...source, operations: target.operations };
  if (when && promised.operations.length > 0) checkCondition(when, [...at, 'when'], promised, complaints);
  checkKind(rule, at, target.operations, complaints);
  const effects = yield* readEffects(rule, at, promised, complaints);
  const demands = complaints.isClean(at) ? readDemands(target, when) : [];
  const place = complaints.placeOf(at);
  return { index, place, on, when, target, demands, after, every, probability, times, effects, goesOn };
}

const readDemands = ({ path }: Target, when: Condition = {}): Demand[] => [
  ...(path === undefined ? [] : [readPath(path)]),
  ...readCondition(when),
];

/** What can be said of calls alone, and of what is sent alone. */
const OF_CALLS = ['path', 'query', 'headers', 'caller', 'protocol'] as const;
const ON_THE_WAY: readonly (keyof WrittenFault)[] = ['truncate', 'garbage', 'dribble'];

/** Complains of what a rule can't say of what it listens to: calls, webhooks, or interceptors. */
export function checkKind(
  rule: WrittenRule,
  at: Path,
  operations: readonly Operation[],
  complaints: Complaints,
): void {
  const complain = (path: Path, message: string) => complaints.add([...at, ...path], message, 'key');
  const kinds = new Set(operations.map(({ sent = 'call' }) => sent));
  if (kinds.size > 1)
    complain(['on'], `a rule listens to calls, to webhooks, or to interceptors: here are ${list(kinds)}s`);
  if (kinds.size !== 1) return;
  if (rule.deliver && !kinds.has('webhook'))
    complain(['deliver'], 'only webhooks are delivered: see `on: webhook.*`');
  if (kinds.has('call')) {
    if (rule.when?.to !== undefined)
      complain(['when', 'to'], 'is of webhooks and interceptors: a call comes to the service');
    return;
  }
  for (const member of OF_CALLS)
    if (rule.when?.[member] !== undefined)
      complain(['when', member], 'nobody calls: what is sent has a `body`, and goes `to` an address');
  complainOfAnswers(rule, complain);
}

/** Of what is sent, the rule stands for whoever is called. */
function complainOfAnswers(
  { reply, fault = {} }: WrittenRule,
  complain: (path: Path, message: string) => void,
) {
  if (reply && 'error' in reply)
    complain(['reply', 'error'], 'is a failure of the service; whoever is called answers with a `status`');
  for (const member of ON_THE_WAY)
    if (fault[member] !== undefined)
      complain(['fault', member], 'is of answers to callers; write the `reply` of whoever is called');
  if (fault.disconnect === 'middle')
    complain(['fault', 'disconnect'], 'whoever is called is gone `before`, or ends with a `reset`');
}

const list = (kinds: ReadonlySet<string>) => [...kinds].join('s and ');
