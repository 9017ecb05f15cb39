import type { Complaints } from './complaints.ts';
import { checkCondition } from './condition-check.ts';
import { readCondition, readPath, type Condition, type Demand } from './condition.ts';
import { readEffects, type Effects, type Promised, type WrittenEffects } from './effects.ts';
import { checkKind } from './kind-check.ts';
import type { Steps } from './steps.ts';
import type { On, Target } from './target.ts';
import type { Targets } from './targets.ts';

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
