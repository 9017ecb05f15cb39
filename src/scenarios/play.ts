import { ApiError } from '../errors.ts';
import type { RowChange } from '../environment/env.ts';
import type { Decision } from './decision.ts';
import type { Deliver } from './deliver.ts';
import { wait, type Breakage } from './faults.ts';
import type { Edit } from './edits.ts';
import { patched, type Patch } from './patch.ts';
import { createAnswer } from './reply.ts';
import { withValues } from './call-values.ts';
import type { Effects } from './effects.ts';
import type { Rule } from './rule.ts';
import {
  NO_ANSWER,
  type CallFacts,
  type FaultView,
  type RuleLabel,
  type RuleOutcome,
  type RuleReply,
  type ScenarioHost,
} from './script.ts';

/** Changes that a rule makes, with what remembers them. */
export interface RuleChanges {
  readonly label: RuleLabel;
  readonly edits: readonly Edit[];
  readonly change: ScenarioHost['change'];
}

/** What is asked of the rules that apply to a call. */
export interface Applied {
  /** In their order: those that let the call go on, and the one that speaks. */
  readonly changes: readonly RuleChanges[];
  /** The rule that speaks; undefined when all let the call go on. */
  readonly rule: Rule | undefined;
  readonly decision: Decision;
  readonly call: CallFacts;
  readonly host: ScenarioHost;
}

/** What rules do to the call that they apply to. Chance is drawn here, so that the order of calls decides. */
export const scriptOf = (applied: Applied): RuleOutcome => new RuleScript(applied);

class RuleScript implements RuleOutcome {
  readonly rule: RuleLabel | undefined;
  readonly decision: Decision;
  readonly #host: ScenarioHost;
  readonly #call: CallFacts;
  readonly #edits: readonly RuleChanges[];
  readonly #patch: Patch | undefined;
  readonly #delay: number | undefined;
  readonly #answer: RuleReply | ApiError | undefined;
  readonly deliver: Deliver | undefined;
  #changes: readonly RowChange[] | undefined;
  #fault: FaultView | undefined;
  #breakage: Breakage | undefined;

  constructor({ changes, rule, decision, call, host }: Applied) {
    const { fault, reply, patch, deliver, templates } = rule?.effects ?? NO_EFFECTS;
    this.rule = decision.rule;
    this.decision = decision;
    this.#host = host;
    this.#call = call;
    this.deliver = deliver;
    this.#edits = changes.filter(({ edits }) => edits.length > 0);
    this.#patch = patch && { ...patch, members: withValues(patch.members, templates.patch, { call }) };
    this.#delay = fault?.delay && Math.round(fault.delay(host.chance));
    this.#breakage = fault?.breakage?.(host.chance);
    this.#answer = reply && createAnswer(withValues(reply, templates.reply, { call }), host);
    this.#fault = fault && { ...(this.#delay !== undefined && { delay_ms: this.#delay }), ...fault.written };
  }

  get fault(): FaultView | undefined {
    return this.#fault;
  }

  get changes(): readonly RowChange[] | undefined {
    return this.#changes;
  }

  get breakage(): Breakage | undefined {
    return this.#breakage;
  }

  async play(caller: { readonly signal?: AbortSignal } = {}): Promise<RuleReply | undefined> {
    if (this.#edits.length > 0) this.#changes = this.#edits.flatMap((each) => this.#change(each));
    if (this.#delay && !(await wait(this.#delay, caller.signal))) this.#leave();
    if (this.#breakage?.kind === 'silence') return NO_ANSWER;
    if (this.#answer instanceof ApiError) throw this.#answer;
    return this.#answer;
  }

  edit(answer: RuleReply): RuleReply | undefined {
    return this.#patch && patched(answer, this.#patch, this.#host.now());
  }

  /** A change that can't be made is a mistake in the scenario: a tester must see it, and nothing else happens. */
  #change({ edits, label: { name, rule }, change }: RuleChanges): readonly RowChange[] {
    try {
      return change(edits.map((edit) => (edit.templates ? { ...edit, call: this.#call } : edit)));
    } catch (thrown) {
      if (!(thrown instanceof ApiError)) throw thrown;
      const headers = { 'understudy-scenario': 'failed' };
      const message = `scenario ${name}, rule ${rule}: ${thrown.message}`;
      throw new ApiError('internal', message, { cause: thrown, headers });
    }
  }

  /** Nobody is there to hear an answer. */
  #leave(): void {
    this.#fault = { ...this.#fault, abandoned: true };
    this.#breakage = { kind: 'silence', reset: false };
  }
}

const NO_EFFECTS: Effects = {
  edits: [],
  reply: undefined,
  patch: undefined,
  fault: undefined,
  deliver: undefined,
  templates: { reply: [], patch: [] },
};
