import type { Moment } from './clock.ts';
import type { InterceptorInvocation, InterceptorOutcome } from './interceptor-invocation.ts';
import type { Claims, Keys } from './keys.ts';
import type { SchemaChecks } from './rows/json-schema.ts';
import type { Collection, Rows } from './rows/schema.ts';
import type { RowBase } from './rows/table-seed.ts';
import type { Table } from './rows/table.ts';

export type Tables = { readonly [K in Collection]: Table<Rows[K]> };

/** Who calls: the client of the token, and the user if it is a user's. */
export interface Caller {
  client_id: string;
  /** The client's own, or the one that the user has signed in to. */
  organization_id?: string;
  /** Of a user's token alone: who it is, as `user_id` or as a connection names them. */
  subject?: string;
  user_id?: string;
  session_id?: string;
  scopes?: readonly string[];
}

/** Ids, codes and chance; what is drawn in a unit of work that fails was never drawn. */
export interface Draws {
  id(prefix: string): string;
  text(length: number): string;
  uuid(): string;
  integer(): number;
}

/** All that a handler may touch: the tables, the time, the draws and the caller of one unit of work. */
export interface Env extends Tables {
  readonly environment: string;
  readonly clock: Moment;
  readonly draw: Draws;
  readonly caller: Caller | undefined;
  /** What issuer and links say, without a slash at the end. */
  readonly baseUrl: string;
  readonly jwks: Keys['jwks'];
  readonly schemas: SchemaChecks;
  /** Whom the program was told to sign in without a page; the settings of the environment come before it. */
  readonly autoLogin: string | undefined;
  /** What is written meanwhile only notes that something was used: a call does not fail where that can't be kept. */
  trace<T>(run: () => T): T;
  /** Takes a row away, and what cannot be without it. */
  remove(collection: Collection, id: string): void;
  /**
   * Stands for a signed token in the output; it is signed once the work is committed. `hashes`: claims such as `at_hash`,
   * by name, with the text whose hash they are; a token that was asked for before may be one.
   */
  token(claims: Claims, hashes?: Readonly<Record<string, string>>): string;
  /** What a token of this environment says, be it expired or not; undefined for any other text. */
  claims(token: string): Claims | undefined;
  /**
   * What the interceptor says; the unit of work is undone and runs again as long as it has not been asked. Operations
   * ask with `askInterceptors`.
   */
  ask(invocation: InterceptorInvocation): InterceptorOutcome;
}

/** A row before and after a unit of work. */
export interface RowChange {
  collection: Collection;
  id: string;
  /** Where it stands in its table; where it stood, when it is gone. */
  position: number;
  before: RowBase | undefined;
  after: RowBase | undefined;
}
