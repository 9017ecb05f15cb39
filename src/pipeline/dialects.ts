import type { DialectName } from '../contract/names.gen.ts';
import type { Caller } from '../state/env.ts';
import { OAuthError, type ApiError } from '../contract/errors.ts';
import type { FailedCall } from '../pages/error-page.ts';
import type { RenderedPage } from '../pages/page.ts';
import { agentOf, challenge, type Refusal } from './agent-token.ts';
import type { Call } from './call.ts';
import { byClaims, callerOf, type SecuredCall, DIRECTORY_PATH, providerOf } from './callers.ts';
import { withBasic } from './basic-credentials.ts';

/**
 * How a surface talks. What a surface takes and promises is in the contract, where `x-dialects` lists the errors of each
 * one. None reads a repeated parameter: the contract refuses it unless it declares a list.
 */
export interface Dialect {
  /** The paths of the surface. An unknown path below them gets an error of the surface. Absent: of the service. */
  below?: RegExp;
  /** The media type of JSON answers. Absent: `application/json`. */
  mediaType?: string;
  /** Headers of all answers, such as those for caches. */
  headers: Readonly<Record<string, string>>;
  /** An error in JSON. */
  errorBody: (error: ApiError) => Record<string, unknown>;
  /** An error for people. Programs that ask for JSON get the body. */
  errorPage?: (error: ApiError, failed: FailedCall) => Promise<RenderedPage>;
  /** Whose bearer token this is. Throws `unauthenticated` if the token is not good for the operation. */
  callerOf: (token: string, found: SecuredCall) => Caller | Promise<Caller>;
  /** Refuses a call without a good token. */
  refusal: (refusal: Refusal) => ApiError;
  /** The form of a call, with credentials that its headers have. */
  formOf: (form: Record<string, unknown>, call: Pick<Call, 'headers'>) => object;
}

/** As RFC 6749 5.1 demands it of OAuth's answers. It also fits other answers with a secret. */
export const SECRET_HEADERS = { 'cache-control': 'no-store', pragma: 'no-cache' };

const NOT_STORED = { 'cache-control': 'no-store' };

/** The service's envelope for errors, and access tokens. */
const SERVICE: Dialect = {
  headers: {},
  errorBody: (error) => error.envelope(),
  callerOf: byClaims(callerOf),
  refusal: ({ error }) => error,
  formOf: (form) => form,
};

export const DIALECTS: Readonly<Record<DialectName, Dialect>> = {
  service: SERVICE,
  /** OAuth's errors (RFC 6749 5.2). HTTP Basic means the same as `client_id` and `client_secret` in the form. */
  oauth: {
    ...SERVICE,
    headers: SECRET_HEADERS,
    errorBody: (error) => error.oauthBody(),
    callerOf: byClaims((claims, found) => callerOf(claims, found, { ofResource: true })),
    refusal: ({ error }) => new OAuthError('invalid_token', error.message), // RFC 6750 3.1
    formOf: withBasic,
  },
  /** The errors of both (RFC 7591 3.2.2). */
  registration: {
    ...SERVICE,
    errorBody: (error) => ({ ...error.envelope(), ...error.oauthBody() }),
  },
  /** Pages for browsers. Programs get OAuth's errors. */
  page: {
    ...SERVICE,
    headers: NOT_STORED,
    errorBody: (error) => error.oauthBody(),
    errorPage: async (error, failed) => (await import('../pages/error-page.ts')).errorPage(error, failed),
  },
  /** JSON-RPC's errors. Session tokens of MCP servers. */
  mcp: {
    ...SERVICE,
    below: /^\/mcp\//,
    errorBody: (error) => error.jsonRpcBody(),
    callerOf: byClaims(agentOf),
    refusal: challenge,
  },
  /** SCIM's errors (RFC 7644 3.12). Secrets of directories. */
  scim: {
    ...SERVICE,
    below: DIRECTORY_PATH,
    mediaType: 'application/scim+json',
    errorBody: (error) => error.scimBody(),
    callerOf: providerOf,
  },
  /** Its answers show the state, which has secrets. `admit` of `src/control/serve.ts` checks its only token. */
  control: { ...SERVICE, headers: NOT_STORED },
};

/** The surface of a path that no operation has. */
export const dialectBelow = (path: string): Dialect | undefined =>
  Object.values<Dialect>(DIALECTS).find(({ below }) => below?.test(path));
