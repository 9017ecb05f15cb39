import type { Operation } from '../contract/compiled.ts';
import type { Caller } from '../environment/env.ts';
import type { AnswerHeaders } from '../text/json.ts';

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

/** `rule`: the index of the rule in the scenario. */
export interface RuleLabel {
  readonly name: string;
  readonly rule: number;
}
