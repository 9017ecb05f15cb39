import type { Operation } from '../contract/compiled.ts';
import type { ClockSettings } from '../environment/clock.ts';
import type { Caller, RowChange } from '../environment/env.ts';
import type { AnswerHeaders } from '../text/json.ts';
import type { Decision } from './decision.ts';
import type { Deliver } from './deliver.ts';
import type { Edit } from './edits.ts';
import type { Breakage, WrittenFault } from './faults.ts';

/** What a rule's condition can read of a call. */
export interface CallFacts {
  operation: Operation;
  protocol: string;
  method: string;
  path: string;
  params: Readonly<Record<string, string>>;
  query: Readonly<Record<string, unknown>>;
  headers: Readonly<Record<string, unknown>>;
  body: unknown;
  caller: Caller | undefined;
  /** For webhooks and interceptors: the address that is called. */
  to?: string | undefined;
}

export interface RuleReply {
  status: number;
  headers: AnswerHeaders;
  body: unknown;
  /** The scenario allows this answer to break the contract. */
  outsideContract?: boolean;
}

/** Nothing is sent. Like in fetch, status 0 means no answer. */
export const NO_ANSWER: RuleReply = { status: 0, headers: {}, body: undefined, outsideContract: true };

/** `rule`: the index of the rule in the scenario. */
export interface RuleLabel {
  readonly name: string;
  readonly rule: number;
}

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
   * happens. Throws ApiError for named failures and for changes that fail.
   */
  apply(caller?: { readonly signal?: AbortSignal }): Promise<RuleReply | undefined>;
  /** The patched answer; undefined: no patch. */
  edit(answer: RuleReply): RuleReply | undefined;
}

export const NO_RULE: RuleOutcome = {
  rule: undefined,
  apply: () => Promise.resolve(undefined),
  edit: () => undefined,
};

/** What rules need of the environment. */
export interface ScenarioHost {
  /** A random number in [0, 1), from the environment's generator. */
  readonly chance: () => number;
  /** Milliseconds since 1970 on the environment's clock. */
  readonly now: () => number;
  /** Makes all state changes or none. Throws ApiError if one fails. */
  readonly change: (edits: readonly Edit[]) => readonly RowChange[];
  /** Restores rows and clock. */
  readonly restore: (changes: readonly RowChange[], clock: ClockSettings | undefined) => void;
}

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
