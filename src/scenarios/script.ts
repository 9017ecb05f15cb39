import type { Operation } from '../contract/compiled.ts';
import type { Caller } from '../world/world.ts';

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
}

export interface ScriptedReply {
  status: number;
  headers: Record<string, string>;
  body: unknown;
  /** The scenario said that the answer may break the contract. */
  outsideContract?: boolean;
}

/** Which rule of which scenario; rules count from 0. */
export interface RuleLabel {
  readonly name: string;
  readonly rule: number;
}

/** What the scenarios of an environment have to say of one call. */
export interface Script {
  /** The rule that speaks; undefined when none does. */
  readonly rule: RuleLabel | undefined;
  /** Waits where the rule says so. A reply: nothing else happens. Throws ApiError for a named failure. */
  play(): Promise<ScriptedReply | undefined>;
}

export const SILENT: Script = { rule: undefined, play: () => Promise.resolve(undefined) };
