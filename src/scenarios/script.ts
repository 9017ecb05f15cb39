import type { Operation } from '../contract/compiled.ts';
import type { ClockSettings } from '../environment/clock.ts';
import type { Caller, RowChange } from '../environment/env.ts';
import type { AnswerHeaders } from '../text/json.ts';
import type { Decision } from './decision.ts';
import type { Deliver } from './deliver.ts';
import type { Edit } from './edits.ts';
import type { Breakage, WrittenFault } from './faults.ts';

/** What a rule may look at. */
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
  /** Of what is sent: the address of whoever is called. */
  to?: string | undefined;
}

export interface RuleReply {
  status: number;
  headers: AnswerHeaders;
  body: unknown;
  /** The scenario said that the answer may break the contract. */
  outsideContract?: boolean;
}

/** What a caller that is sent nothing hears: as fetch has it, status 0 is no answer at all. */
export const NO_ANSWER: RuleReply = { status: 0, headers: {}, body: undefined, outsideContract: true };

/** Which rule of which scenario; rules count from 0. */
export interface RuleLabel {
  readonly name: string;
  readonly rule: number;
}

/** What goes wrong with one answer, as the journal tells it. */
export interface FaultView extends Omit<WrittenFault, 'delay'> {
  delay_ms?: number;
  /** The caller left while it waited, and nothing happened. */
  abandoned?: true;
}

/** What the scenarios of an environment have to say of one call. */
export interface RuleOutcome {
  /** The rule that speaks; undefined when none does. */
  readonly rule: RuleLabel | undefined;
  /** How it came to that; undefined when no rule listens to the operation. */
  readonly decision?: Decision | undefined;
  readonly fault?: FaultView | undefined;
  /** The state changes that the rule has made, once it has played. */
  readonly changes?: readonly RowChange[] | undefined;
  /** How sending the answer goes wrong, whoever gave it. */
  readonly breakage?: Breakage | undefined;
  /** How the delivery of a webhook goes wrong. */
  readonly deliver?: Deliver | undefined;
  /**
   * Makes the rule's state changes at once, and waits where it says so, until the caller leaves. A reply: nothing else
   * happens. Throws ApiError for a named failure, and for changes that can't be made.
   */
  play(caller?: { readonly signal?: AbortSignal }): Promise<RuleReply | undefined>;
  /** What the caller hears in the place of an answer that stands; undefined: the answer. */
  edit(answer: RuleReply): RuleReply | undefined;
}

export const NO_RULE: RuleOutcome = {
  rule: undefined,
  play: () => Promise.resolve(undefined),
  edit: () => undefined,
};

/** What the effects of rules need of the environment. */
export interface ScenarioHost {
  /** In [0, 1), from the environment's generator. */
  readonly chance: () => number;
  /** Milliseconds since 1970 on the environment's clock. */
  readonly now: () => number;
  /** Makes state changes, all or none. Throws ApiError for one that can't be made. */
  readonly change: (edits: readonly Edit[]) => readonly RowChange[];
  /** Rows and clock become what they were. */
  readonly putBack: (changes: readonly RowChange[], clock: ClockSettings | undefined) => void;
}

/** What a rule may look at of something that the service sends; `to`: the address of whoever is called. */
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
