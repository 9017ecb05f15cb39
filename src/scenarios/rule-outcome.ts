import type { Operation } from '../contract/compiled.ts';
import type { RowChange } from '../environment/env.ts';
import type { CallFacts, RuleLabel, RuleReply } from './call-facts.ts';
import type { Decision } from './decision.ts';
import type { Deliver } from './deliver.ts';
import type { Breakage, WrittenFault } from './faults.ts';

/** Nothing is sent. Like in fetch, status 0 means no answer. */
export const NO_ANSWER: RuleReply = { status: 0, headers: {}, body: undefined, outsideContract: true };

/** A fault in the journal. */
export interface FaultView extends Omit<WrittenFault, 'delay'> {
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

/** For webhooks and interceptors. `to`: the address that is called. */
export const factsOfMessage = (
  operation: Operation,
  { body, to }: { body: unknown; to: string },
): CallFacts => ({
  operation,
  body,
  to,
  protocol: 'http/1.1',
  method: operation.method,
  path: operation.path,
  params: {},
  query: {},
  headers: {},
  caller: undefined,
});
