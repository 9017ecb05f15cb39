import type { AccessTokens } from './access-tokens.ts';
import type { ServiceAccess } from './service.ts';
import { DEFAULT_ENVIRONMENT } from '@understudy/core/state/environment-names';
import { ApiError } from '@understudy/core/contract/errors';
import { header, written, type Call, type WrittenReply } from '@understudy/core/pipeline/call';
import { DIALECTS } from '@understudy/core/pipeline/dialects';
import { refuseBatch } from '@understudy/core/operations/mcp-message';
import { replyOf, requestOf } from '@understudy/mcp/http';
import type { Controls } from '@understudy/core/control/handler';
import { admit, type Apis } from '@understudy/core/control/serve';
import { readPairs } from '@understudy/core/contract/body';

const SESSION_NOT_FOUND = -32001;
/** For callers that cannot disconnect. */
const NEVER_ABORTS = new AbortController().signal;

/** Answers messages of agents. The tools, and the library that speaks the protocol, are loaded at the first message. */
export class AgentCalls {
  readonly #controls: Controls;
  readonly #apis: Apis;
  #tokens: AccessTokens | undefined;

  constructor(controls: Controls, apis: Apis) {
    this.#controls = controls;
    this.#apis = apis;
  }

  async answer(call: Call): Promise<WrittenReply> {
    const reply = await this.#serve(call).catch((thrown: unknown) => this.#refusal(call, thrown));
    this.#controls.log.debug(`${call.method} ${call.path} ${reply.status} (agents)`);
    return reply;
  }

  #refusal(call: Call, thrown: unknown): WrittenReply {
    const error = ApiError.from(thrown);
    const { cause, headers } = error.parts;
    if (cause !== undefined) this.#controls.simulator.report(`${call.method} ${call.path}`, cause);
    return written({ status: error.status, headers: { ...headers }, body: DIALECTS.mcp.errorBody(error) });
  }

  async #serve(call: Call): Promise<WrittenReply> {
    admit(call, this.#controls.token);
    if (call.method !== 'POST') throw onlyPost(call.method);
    if (call.bodyError) throw call.bodyError;
    refuseBatch(jsonIn(call.body));
    const { answerMessage, hasSessions } = await import('@understudy/mcp/protocol');
    const isOfSession = await hasSessions(requestOf(call));
    if (isOfSession && header(call, 'mcp-session-id') !== undefined) throw noSession();
    const { AccessTokens, createAgentServer } = await import('./agents.ts');
    this.#tokens ??= new AccessTokens();
    const server = createAgentServer(this.#accessFor(call, this.#tokens));
    return written(await replyOf(await answerMessage(requestOf(call), server, isOfSession)));
  }

  #accessFor(call: Call, tokens: AccessTokens): ServiceAccess {
    const { documents, version, token } = this.#controls;
    const fetch = inMemory(call, call.signal ?? NEVER_ABORTS, this.#apis);
    return {
      version,
      documents,
      tokens,
      environment: header(call, 'understudy-environment') || DEFAULT_ENVIRONMENT,
      connect: () => Promise.resolve({ url: IN_MEMORY, token, fetch }),
    };
  }
}

/** Calls do not leave the process, so the host does not matter. */
const IN_MEMORY = 'http://understudy';

function jsonIn(body: Uint8Array | undefined): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(body));
  } catch {
    return undefined; // The library refuses it with the protocol's own error.
  }
}

/** No message is sent without being asked for, and there is no session to end. */
const onlyPost = (method: string) =>
  new ApiError('method_not_allowed', `${method} is not allowed: send messages with POST`, {
    headers: { allow: 'POST' },
  });

/** This server gives no sessions, so each one is unknown. The client then starts anew without. */
const noSession = () =>
  new ApiError('not_found', 'Session not found: this server has no sessions', {
    jsonRpc: SESSION_NOT_FOUND,
  });

const CONTROL = /^\/_control\//;

/**
 * A `fetch` that calls both APIs as functions, without a connection. Addresses in the answers begin as those of the call
 * `origin` do.
 */
function inMemory(origin: Call, left: AbortSignal, apis: Apis): typeof globalThis.fetch {
  return async (input, init = {}) => {
    const { pathname: path, search, searchParams } = new URL(input as string);
    const body = init.body === undefined ? undefined : new TextEncoder().encode(init.body as string);
    const headers = Object.fromEntries(new Headers(init.headers));
    const call: Call = {
      protocol: 'http/1.1',
      method: init.method ?? 'GET',
      path,
      url: `${path}${search}`,
      query: search === '' ? {} : readPairs(searchParams),
      headers: { ...headers, host: origin.host },
      body,
      size: body?.length ?? 0,
      baseUrl: origin.baseUrl,
      host: origin.host,
      signal: init.signal ? AbortSignal.any([init.signal, left]) : left,
    };
    return responseOf(await (CONTROL.test(path) ? apis.serveControl(call) : apis.serve(call)));
  };
}

/** Statuses whose responses have no body (Fetch standard, "null body status"). */
const WITHOUT_BODY = new Set([204, 205, 304]);

function responseOf({ status, headers, text, breakage }: WrittenReply): Response {
  if (breakage?.kind === 'garbage') return new Response(new Uint8Array(breakage.bytes), { status });
  if (breakage?.kind === 'silence' || breakage?.kind === 'cut') throw new TypeError(BROKEN_OFF);
  const all = new Headers({ 'content-type': 'application/json' });
  for (const [name, value] of Object.entries(headers))
    for (const [index, each] of [value].flat().entries())
      if (index === 0) all.set(name, each);
      else all.append(name, each);
  return new Response(WITHOUT_BODY.has(status) ? null : (text ?? null), { status, headers: all });
}

const BROKEN_OFF = 'the connection was closed before the answer was complete';
