import type { Moment } from './clock.ts';
import type { Draws } from './ids.ts';
import type { InterceptorInvocation, InterceptorOutcome } from './interceptor-invocation.ts';
import type { Claims } from './keys.ts';
import type { ProviderCall, ProviderOutcome } from './provider-call.ts';
import type { RuleId } from '../contract/rule-ids.gen.ts';
import type { SchemaChecks } from '../contract/json-schema/checks.ts';
import type { UnknownField } from '../contract/types.ts';
import type { Collection, Rows } from './tables/table-spec.ts';
import type { Table } from '../rows/table.ts';
import type { RowChange as UnitChange } from '../rows/unit-of-work.ts';

export type { Collection, Rows };

export type Tables = { readonly [K in Collection]: Table<Rows[K]> };

/** The client of the token, and the user if the token belongs to one. */
export interface Caller {
  client_id: string;
  /** The client's organization, or the one that the user has signed in to. */
  organization_id?: string;
  /** The `sub` claim of a user's token: `user_id`, or the name that a connection gives. */
  subject?: string;
  user_id?: string;
  session_id?: string;
  scopes?: readonly string[];
  /** What the session token of an MCP server allows. */
  agent?: AgentGrant;
  /** Whose secret an identity provider has sent. */
  directory?: DirectoryCaller;
}

interface DirectoryCaller {
  id: string;
  secret_id: string;
}

export interface AgentGrant {
  /** The user. */
  identifier: string;
  /** The connected accounts that the token was issued for. */
  account_ids: readonly string[];
  isReadOnly: boolean;
}

/** Everything that a handler may use: tables, time, draws and caller of one unit of work. */
export interface Env extends Tables {
  readonly environment: string;
  readonly clock: Moment;
  readonly draw: Omit<Draws, 'undo'>;
  readonly caller: Caller | undefined;
  /** The IP address of the caller, as far as it is known. */
  readonly callerAddress: string | undefined;
  /** The base of issuer and links, without a trailing slash. */
  readonly baseUrl: string;
  readonly schemas: SchemaChecks;
  /** The email that the program was told to sign in without a page; the environment's settings override it. */
  readonly autoLogin: string | undefined;
  /** Marks writes that only record a use: if they cannot be stored, the call still succeeds. */
  trace<T>(run: () => T): T;
  /** Adds a note to the journal entry of the call. A call that fails keeps no notes. */
  note(text: string): void;
  /**
   * Notes in the journal that a rule that no source of the service states has decided the call. A refusal notes it with
   * the error: a call that fails keeps only that.
   */
  decidedBy(rule: RuleId): void;
  /** Whether fields that nothing names are refused. */
  readonly isStrict: boolean;
  /** Tells the caller and the journal of fields that nothing names, and that were ignored. */
  ignored(fields: readonly UnknownField[]): void;
  /**
   * Runs steps that only prepare what the operation reads. If the caller can wait, other calls are served in between, and the
   * operation starts again afterwards: call it before anything is written.
   */
  prepare(steps: Generator<undefined, void, undefined>): void;
  /** What runs of the operation have kept for the next run, by a name of their choice. */
  readonly kept: Map<string, unknown>;
  /** Removes a row and the rows that depend on it. */
  remove(collection: Collection, id: string): void;
  /**
   * Returns a placeholder for a token that is signed after the commit. `hashes`: claims such as `at_hash` by name,
   * with the text to hash, which may be another placeholder.
   */
  token(claims: Claims, hashes?: Readonly<Record<string, string>>): string;
  /** The claims of a token of this environment, expired or not; undefined for any other text. */
  claims(token: string): Claims | undefined;
  /**
   * Asks the interceptor. Throws InvocationNeeded if there is no outcome yet; the pipeline then runs the unit of work
   * again. Operations use `askInterceptors`.
   */
  ask(invocation: InterceptorInvocation): InterceptorOutcome;
  /** Where calls to the provider are passed on to (`--proxy-to`); undefined: nowhere. */
  providerAddress(provider: string): string | undefined;
  /**
   * Calls another server. Throws ProviderCallNeeded if there is no outcome yet; the pipeline then makes the call and runs
   * the unit of work again.
   */
  callProvider(call: ProviderCall): ProviderOutcome;
}

export type RowChange = UnitChange<Collection>;
