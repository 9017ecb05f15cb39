import type { ClockSettings } from '../state/clock.ts';
import type { RowChange } from '../state/env.ts';
import { NO_ANSWER, withValues, type CallFacts, type RuleLabel, type RuleReply } from './call-facts.ts';
import type { Decision } from './decision.ts';
import { type Deliver, type Breakage, type WrittenFault, wait } from './faults.ts';
import { ApiError } from '../contract/errors.ts';
import type { Edit } from './edits.ts';
import { patched, type Patch } from './patch.ts';
import { createAnswer, type ReplyContext } from './reply.ts';
import type { Effects } from './effects.ts';
import { SizeBudget } from '@understudy/text/json';
import type { Rule } from './rule.ts';

/** A fault in the journal. */
interface FaultView extends Omit<WrittenFault, 'delay'> {
  delay_ms?: number;
  /** The caller left during the delay, so nothing happened. */
  abandoned?: true;
}

/** What the rules of an environment do to one call. */
export interface RuleOutcome {
  /** Undefined if no rule decides. */
  readonly rule: RuleLabel | undefined;
  /** Why; undefined if no rule listens to the operation. */
  readonly decision?: Decision | undefined;
  readonly fault?: FaultView | undefined;
  /** The state changes of the rule, after `play`. */
  readonly changes?: readonly RowChange[] | undefined;
  /** How sending the answer fails. */
  readonly breakage?: Breakage | undefined;
  /** The caller hears that the service is unavailable, whatever the answer is. */
  readonly losesAnswer?: boolean;
  /** How the delivery of a webhook fails. */
  readonly deliver?: Deliver | undefined;
  /**
   * Makes the state changes, then waits for the delay or until the caller leaves. If there is a reply, nothing else
   * happens. Throws ApiError for named failures and for changes that fail. Absent if no rule applies.
   */
  apply?(caller?: { readonly signal?: AbortSignal }): Promise<RuleReply | undefined>;
  /** The patched answer; undefined: no patch. Absent if no rule applies. */
  edit?(answer: RuleReply): RuleReply | undefined;
}

export const NO_RULE: RuleOutcome = { rule: undefined };

/** What rules need of the environment. */
export interface ScenarioHost extends ReplyContext {
  /** Makes all state changes or none. Throws ApiError if one fails. */
  readonly change: (edits: readonly Edit[]) => readonly RowChange[];
  /** Restores rows and clock. */
  readonly restore: (changes: readonly RowChange[], clock: ClockSettings | undefined) => void;
}

/** A rule's changes and the function that makes them. */
export interface RuleChanges {
  readonly label: RuleLabel;
  readonly edits: readonly Edit[];
  readonly change: ScenarioHost['change'];
}

/** The rules that apply to one call. */
interface AppliedRules {
  /** In order: rules with `continue`, then the deciding rule. */
  readonly changes: readonly RuleChanges[];
  /** The deciding rule; undefined if all rules continue. */
  readonly rule: Rule | undefined;
  readonly decision: Decision;
  readonly call: CallFacts;
  readonly host: ScenarioHost;
}

/** Random numbers are drawn at once, so that the order of the calls decides. */
export class AppliedRulesOutcome implements RuleOutcome {
  readonly rule: RuleLabel | undefined;
  readonly decision: Decision;
  readonly #host: ScenarioHost;
  readonly #call: CallFacts;
  readonly #ruleChanges: readonly RuleChanges[];
  readonly #patch: Patch | undefined;
  readonly #budget = new SizeBudget();
  readonly #delay: number | undefined;
  readonly #answer: RuleReply | ApiError | undefined;
  readonly deliver: Deliver | undefined;
  readonly losesAnswer: boolean;
  changes: readonly RowChange[] | undefined;
  fault: FaultView | undefined;
  breakage: Breakage | undefined;

  constructor({ changes, rule, decision, call, host }: AppliedRules) {
    const { fault, reply, patch, deliver, templates } = rule?.effects ?? NO_EFFECTS;
    this.rule = decision.rule;
    this.decision = decision;
    this.#host = host;
    this.#call = call;
    this.deliver = deliver;
    this.losesAnswer = fault?.losesAnswer ?? false;
    this.#ruleChanges = changes.filter(({ edits }) => edits.length > 0);
    this.#delay = fault?.delay && Math.round(fault.delay(host.chance));
    this.breakage = fault?.breakage?.(host.chance);
    try {
      const values = { call, budget: this.#budget };
      this.#answer = reply && createAnswer(withValues(reply, templates.reply, values), host);
      this.#patch = patch && { ...patch, members: withValues(patch.members, templates.patch, values) };
    } catch (thrown) {
      this.#answer = scenarioFailed(this.rule, `${reply ? 'reply' : 'patch'}.`, thrown);
    }
    this.fault = fault && { ...(this.#delay !== undefined && { delay_ms: this.#delay }), ...fault.written };
  }

  async apply(caller: { readonly signal?: AbortSignal } = {}): Promise<RuleReply | undefined> {
    if (this.#ruleChanges.length > 0) this.changes = this.#ruleChanges.flatMap((each) => this.#change(each));
    if (this.#delay && !(await wait(this.#delay, caller.signal))) this.#abandon();
    if (this.breakage?.kind === 'silence') return NO_ANSWER;
    if (this.#answer instanceof ApiError) throw this.#answer;
    return this.#answer;
  }

  edit(answer: RuleReply): RuleReply | undefined {
    return this.#patch && patched(answer, this.#patch, this.#host.now());
  }

  /** A change that fails is a mistake in the scenario: the tester sees it, and nothing else happens. */
  #change({ edits, label, change }: RuleChanges): readonly RowChange[] {
    const filling = { call: this.#call, budget: this.#budget };
    try {
      return change(edits.map((edit) => (edit.templates ? { ...edit, ...filling } : edit)));
    } catch (thrown) {
      throw scenarioFailed(label, '', thrown);
    }
  }

  /** The caller has left, so nothing is sent. */
  #abandon(): void {
    this.fault = { ...this.fault, abandoned: true };
    this.breakage = { kind: 'silence', reset: false };
  }
}

function scenarioFailed(label: RuleLabel | undefined, place: string, thrown: unknown): ApiError {
  if (!(thrown instanceof ApiError)) throw thrown;
  const headers = { 'understudy-scenario': 'failed' };
  const message = `scenario ${label?.name}, rules[${label?.rule}]: ${place}${thrown.message}`;
  return new ApiError('internal', message, { cause: thrown, headers });
}

const NO_EFFECTS: Effects = {
  edits: [],
  reply: undefined,
  patch: undefined,
  fault: undefined,
  deliver: undefined,
  templates: { reply: [], patch: [] },
};
