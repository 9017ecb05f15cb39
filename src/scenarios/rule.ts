import type { Contract } from '../contract/contract.ts';
import type { Complaints, Path } from './complaints.ts';
import { checkCondition } from './condition-check.ts';
import type { Condition } from './condition.ts';
import { isSilent, readFault, type Fault, type WrittenFault } from './faults.ts';
import { checkReply } from './reply-check.ts';
import type { Reply } from './reply.ts';
import { findTarget, type On, type Target } from './target.ts';

/** A rule as the format has it. */
export interface WrittenRule {
  on: On;
  when?: Condition;
  after?: number;
  times?: number;
  reply?: Reply;
  fault?: WrittenFault;
}

export interface Rule {
  /** The included scenario that it is written in; absent: the scenario itself. */
  readonly from?: string;
  /** As it is written. */
  readonly on: On;
  readonly target: Target;
  readonly when: Condition | undefined;
  /** So many matching calls pass first. */
  readonly after: number;
  /** Then it applies so often; undefined: always. */
  readonly times: number | undefined;
  readonly reply: Reply | undefined;
  readonly fault: Fault | undefined;
}

/** Looks at those parts of a rule that have the right form; the result counts only when there is no complaint. */
export function readRule(rule: WrittenRule, at: Path, contract: Contract, complaints: Complaints): Rule {
  const { on, when, after = 0, times, reply, fault } = rule;
  const isSound = (member: keyof WrittenRule) =>
    rule[member] !== undefined && complaints.isClean([...at, member]);
  const target: Target = isSound('on')
    ? findTarget(on, [...at, 'on'], contract.operations, complaints)
    : { operations: [] };
  const promised = { operations: target.operations, contract };
  if (when && promised.operations.length > 0) checkCondition(when, [...at, 'when'], promised, complaints);
  if (reply && isSound('reply')) checkReply(reply, [...at, 'reply'], promised, complaints);
  const goesWrong = fault && isSound('fault') ? readFault(fault, [...at, 'fault'], complaints) : undefined;
  if (fault && reply && isSilent(fault))
    complaints.add([...at, 'reply'], `nobody hears it: the fault is disconnect ${fault.disconnect}`, 'key');
  return { on, target, when, after, times, reply, fault: goesWrong };
}
