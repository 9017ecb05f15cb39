import type { AnswerHeaders } from '@understudy/text/json';

/**
 * What is called: an address that plays a provider, an MCP server for its list of tools or to run one, a client's metadata
 * document, or the keys or metadata of an identity provider.
 */
export type ProviderCallKind =
  'proxy' | 'mcp_list' | 'mcp_call' | 'client_document' | 'issuer_keys' | 'saml_metadata';

/** A call to another server, which a unit of work needs answered. */
export interface ProviderCall {
  kind: ProviderCallKind;
  /** The name of the provider, the connection or the client, for messages. */
  provider: string;
  method: string;
  url: string;
  headers?: Readonly<Record<string, string>>;
  /** Headers that hold the credentials of the account. */
  credentials: Readonly<Record<string, string>>;
  /** Absent: the caller's request to `/proxy/…` is passed on, with the rest of its path, its headers and body. */
  body?: string;
}

/** The answer, or why there is none. */
export type ProviderOutcome =
  | { status: number; headers: AnswerHeaders; text: string; failure?: never }
  | { failure: ProviderFailure; message: string };

type ProviderFailure = 'unavailable' | 'deadline_exceeded' | 'failed_precondition';

/**
 * A unit of work is synchronous. This error rolls it back; the pipeline makes the call and runs the unit again with the
 * outcome.
 */
export class ProviderCallNeeded extends Error {
  readonly call: ProviderCall;
  readonly key: string;

  constructor(call: ProviderCall, key: string) {
    super(`${call.url} has not been called yet`);
    this.call = call;
    this.key = key;
  }
}

export type ProviderOutcomes = ReadonlyMap<string, ProviderOutcome>;

/** Looks up outcomes for one unit of work; throws `ProviderCallNeeded` for those that are missing. */
export function providerLookup(
  outcomes: ProviderOutcomes | undefined,
): (call: ProviderCall) => ProviderOutcome {
  const made = new Map<string, number>();
  return (call) => {
    // Without the headers, because a token that the unit has renewed may be drawn anew.
    const { method, url, body = '' } = call;
    const same = `${method} ${url} ${body}`;
    const times = made.get(same) ?? 0;
    made.set(same, times + 1);
    const key = `${times} ${same}`;
    const outcome = outcomes?.get(key);
    if (!outcome) throw new ProviderCallNeeded(call, key);
    return outcome;
  };
}

/** For units of work that must not call anybody. */
export const withoutCalling = (): ProviderOutcome => ({
  failure: 'unavailable',
  message: 'no provider is called here',
});
