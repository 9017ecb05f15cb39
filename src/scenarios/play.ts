import { ApiError } from '../errors.ts';
import type { RowChange } from '../world/row-change.ts';
import type { Decision } from './decision.ts';
import type { Deliver } from './deliver.ts';
import { wait, type Breakage } from './faults.ts';
import type { Edit } from './edits.ts';
import { patched, type Patch } from './patch.ts';
import { createAnswer } from './reply.ts';
import type { Rule } from './rule.ts';
import {
  UNHEARD,
  type FaultView,
  type RuleLabel,
  type Script,
  type ScriptedReply,
  type Stage,
} from './script.ts';

/** What a rule does to the call that it applies to. Chance is drawn here, so that the order of calls decides. */
export const scriptOf = (rule: Rule, decision: Decision, stage: Stage): Script =>
  new RuleScript(rule, decision, stage);

class RuleScript implements Script {
  readonly rule: RuleLabel | undefined;
  readonly decision: Decision;
  readonly #stage: Stage;
  readonly #edits: readonly Edit[];
  readonly #patch: Patch | undefined;
  readonly #delay: number | undefined;
  readonly #answer: ScriptedReply | ApiError | undefined;
  readonly deliver: Deliver | undefined;
  #changes: readonly RowChange[] | undefined;
  #fault: FaultView | undefined;
  #breakage: Breakage | undefined;

  constructor({ effects: { edits, fault, reply, patch, deliver } }: Rule, decision: Decision, stage: Stage) {
    this.rule = decision.rule;
    this.decision = decision;
    this.#stage = stage;
    this.deliver = deliver;
    this.#edits = edits;
    this.#patch = patch;
    this.#delay = fault?.delay && Math.round(fault.delay(stage.chance));
    this.#breakage = fault?.breakage?.(stage.chance);
    this.#answer = reply && createAnswer(reply, stage);
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

  async play(caller: { readonly signal?: AbortSignal } = {}): Promise<ScriptedReply | undefined> {
    if (this.#edits.length > 0) this.#changes = this.#change();
    if (this.#delay && !(await wait(this.#delay, caller.signal))) this.#leave();
    if (this.#breakage?.kind === 'silence') return UNHEARD;
    if (this.#answer instanceof ApiError) throw this.#answer;
    return this.#answer;
  }

  edit(answer: ScriptedReply): ScriptedReply | undefined {
    return this.#patch && patched(answer, this.#patch, this.#stage.now());
  }

  /** A change that can't be made is a mistake in the scenario: a tester must see it, and nothing else happens. */
  #change(): readonly RowChange[] {
    try {
      return this.#stage.change(this.#edits);
    } catch (thrown) {
      if (!(thrown instanceof ApiError)) throw thrown;
      const { name, rule } = this.decision.rule!;
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
