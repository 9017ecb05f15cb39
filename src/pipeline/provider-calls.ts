import type { IncomingHttpHeaders } from 'node:http';
import { uptime } from '../state/clock.ts';
import type {
  ProviderCall,
  ProviderCallNeeded,
  ProviderOutcome,
  ProviderCallKind,
} from '../state/provider-call.ts';
import { bodyToKeep } from '../journal/made-calls.ts';
import { ApiError, failedPrecondition } from '../contract/errors.ts';
import { abortWhenUseless, type InvokingCall } from './invocations.ts';
import type { AnswerHeaders } from '@understudy/text/json';
import { HostRefused, type AllowedHosts } from '../webhooks/allowed-hosts.ts';
import type { RemoteRequest } from '@understudy/mcp/remote-server';
import { sendOnce, type WholeAnswer } from '../webhooks/http-client.ts';
import type { Call } from './call.ts';

/** Calls to providers that one call to the service may cause. */
const MAX_CALLS = 100;

interface PassingCall extends InvokingCall {
  call: Call;
}

/** Calls addresses that play providers during one call to the service, and keeps their outcomes. */
export class ProviderCalls {
  readonly outcomes = new Map<string, ProviderOutcome>();
  readonly #caller: PassingCall;
  readonly #allowed: AllowedHosts;

  constructor(caller: PassingCall, allowed: AllowedHosts) {
    this.#caller = caller;
    this.#allowed = allowed;
  }

  /** Resolves to false if the caller has left. */
  async make({ call, key }: ProviderCallNeeded): Promise<boolean> {
    const { environment, caller } = this.#caller;
    await environment.log.kept();
    if (this.outcomes.size === MAX_CALLS)
      throw failedPrecondition(`more than ${MAX_CALLS} calls to providers would have to be made`);
    const useless = abortWhenUseless(this.#caller);
    try {
      const outcome = await this.#send(call, useless.signal);
      if (caller.signal?.aborted) return false;
      if (environment.activity.endReason === 'stopping')
        throw new ApiError('unavailable', 'understudy is stopping');
      this.outcomes.set(key, outcome);
      return true;
    } finally {
      useless.unsubscribe();
    }
  }

  async #answerTo(call: ProviderCall, request: SentRequest, signal: AbortSignal): Promise<ProviderOutcome> {
    const { hosts, maxBytes } = LIMITS[call.kind];
    const options = { allowed: hosts(this.#allowed), signal, maxBytes };
    if (isMcp(call)) return await mcpAnswer(call, request, options);
    const answer = await sendOnce({ ...request, ...options });
    const flaw = flawOf(answer, maxBytes);
    if (flaw) return failed('unavailable', `${placeOf(call)} ${flaw}`);
    const { status, headers, text } = answer;
    return { status, headers: answerHeaders(headers), text };
  }

  async #send(call: ProviderCall, useless: AbortSignal): Promise<ProviderOutcome> {
    const { call: caller, entry } = this.#caller;
    const startedAt = uptime();
    const late = AbortSignal.timeout(LIMITS[call.kind].timeout);
    const request = requestOf(call, caller);
    const signal = AbortSignal.any([useless, late]);
    const outcome = await this.#answerTo(call, request, signal).catch((thrown: Error & { code?: string }) =>
      failureOf(thrown, call, late),
    );
    const record = recordOf(call, request, outcome);
    const duration_ms = Math.round(uptime() - startedAt);
    entry.providers = [...entry.providers, { ...record, shown: { ...record.shown, duration_ms } }];
    return outcome;
  }
}

/** The options of calls that this answer is read with. */
interface ReadOptions {
  allowed: AllowedHosts;
  signal: AbortSignal;
  maxBytes: number;
}

async function mcpAnswer(
  { url, body = '' }: ProviderCall,
  { headers }: SentRequest,
  options: ReadOptions,
): Promise<ProviderOutcome> {
  const { askServer } = await import('@understudy/mcp/remote-server');
  const request = JSON.parse(body) as RemoteRequest;
  const { signal } = options;
  const result = await askServer(request, {
    url,
    headers: textual(headers),
    fetch: fetchWith(options),
    signal,
  });
  return { status: 200, headers: {}, text: JSON.stringify(result) };
}

/** Requests of one conversation with an MCP server. A server that lets the client reconnect forever is given up. */
const MOST_REQUESTS = 100;

/** For the official client: its requests go to an allowed host only, and the limit of bytes is for all answers together. */
function fetchWith(options: ReadOptions): typeof fetch {
  let requests = 0;
  let bytes = 0;
  return async (input, init = {}) => {
    const { method, headers, body } = new Request(input, { ...init, signal: null });
    // The service does not listen to what a server says without being asked, but reads on where an answer broke off.
    if (method === 'GET' && !headers.has('last-event-id')) return new Response(null, { status: 405 });
    requests += 1;
    if (requests > MOST_REQUESTS) throw new Error(`it needs more than ${MOST_REQUESTS} requests`);
    const sent = body ? await new Response(body).text() : '';
    const url = input instanceof Request ? input.url : String(input);
    const answer = await sendOnce({
      url,
      method,
      headers: Object.fromEntries(headers),
      body: sent,
      ...options,
      maxBytes: options.maxBytes - bytes,
    });
    if (answer.isCut) throw new Error(`the answer has more than ${options.maxBytes} bytes`);
    bytes += Buffer.byteLength(answer.text);
    const hasBody = ![204, 205, 304].includes(answer.status);
    return new Response(hasBody ? answer.text : null, {
      status: answer.status,
      headers: Object.entries(answerHeaders(answer.headers)).flatMap(([name, value]) =>
        [value].flat().map((each): [string, string] => [name, each]),
      ),
    });
  };
}

/** Why an answer cannot be passed on. */
function flawOf({ isCut, isUtf8, status }: WholeAnswer, maxBytes: number): string | undefined {
  if (isCut) return `answered more than ${maxBytes} bytes`;
  if (status < 200) return `answered with the status ${status}`;
  return isUtf8 ? undefined : 'answered with something other than text in UTF-8: only text is passed on';
}

const failed = (failure: (ProviderOutcome & { failure: string })['failure'], message: string) => ({
  failure,
  message,
});

function failureOf(
  thrown: Error & { code?: string },
  call: ProviderCall,
  late: AbortSignal,
): ProviderOutcome {
  const place = placeOf(call);
  const seconds = LIMITS[call.kind].timeout / 1000;
  if (thrown instanceof HostRefused) return failed('failed_precondition', `${place} is ${thrown.message}`);
  if (late.aborted) return failed('deadline_exceeded', `${place} did not answer within ${seconds} s`);
  const reason = thrown.message || (thrown.code ?? thrown.name);
  // Errors of a connection have a code of the operating system, such as ECONNREFUSED; those of the client library do not.
  const hasAnswered = isMcp(call) && !/^E[A-Z]+$/.test(String(thrown.code));
  return failed(
    'unavailable',
    hasAnswered ? `${place} gave no valid answer: ${reason}` : `${place} cannot be reached: ${reason}`,
  );
}

interface SentRequest {
  url: string;
  method: string;
  headers: Record<string, string | string[]>;
  body: string | Uint8Array;
}

function requestOf({ url, method, headers, credentials, body }: ProviderCall, caller: Call): SentRequest {
  if (body !== undefined) return { url, method, headers: { ...headers, ...credentials }, body };
  const passed = { ...passedOn(caller.headers), ...headers, ...credentials };
  return { url: `${url}${caller.url.slice(PROXY.length)}`, method, headers: passed, body: caller.body ?? '' };
}

const PROXY = '/proxy';

/** Headers that are about the call to the service, or about the connection to it. */
const KEPT_BACK =
  /^(authorization|host|connection|keep-alive|transfer-encoding|te|trailer|upgrade|proxy-.*|expect|content-length|accept-encoding|cookie|connection_name|identifier|x-sdk-version|x-api-version|x-forwarded-.*|understudy-.*)$/;

const passedOn = (headers: Call['headers']) =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined || KEPT_BACK.test(name) ? [] : [[name, value]],
    ),
  );

/** The HTTP server sets the headers for length and framing. */
const NOT_ANSWERED =
  /^(content-length|transfer-encoding|connection|keep-alive|trailer|upgrade|proxy-.*|understudy-.*)$/;

const answerHeaders = (headers: IncomingHttpHeaders): AnswerHeaders =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined || NOT_ANSWERED.test(name) ? [] : [[name, value]],
    ),
  );

function recordOf(call: ProviderCall, { url, method, headers, body }: SentRequest, outcome: ProviderOutcome) {
  const sent = bodyToKeep(typeof body === 'string' ? body : Buffer.from(body).toString());
  const answered = outcome.failure === undefined ? bodyToKeep(outcome.text) : undefined;
  const shown = {
    provider: call.provider,
    method,
    url,
    request: { headers: textual(headers), ...(sent !== undefined && { body: sent }) },
    ...(outcome.failure === undefined
      ? {
          status: outcome.status,
          response: { headers: outcome.headers, ...(answered !== undefined && { body: answered }) },
        }
      : { error: outcome.message }),
  };
  const size = 1000 + (sent?.length ?? 0) + (answered?.length ?? 0);
  return { shown, credentials: Object.keys(call.credentials), size };
}

const textual = (headers: SentRequest['headers']): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));

interface CallLimits {
  /** Real milliseconds. The SDKs wait for 30 s. */
  timeout: number;
  /** Bytes of the answer that are read at most. */
  maxBytes: number;
  /** The hosts that may be called, from those of `--webhook-allow`. */
  hosts: (allowed: AllowedHosts) => AllowedHosts;
}

const asConfigured = (allowed: AllowedHosts) => allowed;
const orLoopback = (allowed: AllowedHosts) => allowed.orLoopback();
/** Anybody can name the address of a client's document, so not every host may be called by default. */
const elseLoopback = (allowed: AllowedHosts) => allowed.elseLoopback();

const LIMITS: Readonly<Record<ProviderCallKind, CallLimits>> = {
  proxy: { timeout: 25_000, maxBytes: 10_000_000, hosts: asConfigured },
  mcp_call: { timeout: 25_000, maxBytes: 10_000_000, hosts: orLoopback },
  mcp_list: { timeout: 10_000, maxBytes: 10_000_000, hosts: orLoopback },
  client_document: { timeout: 10_000, maxBytes: 65_536, hosts: elseLoopback },
  issuer_keys: { timeout: 10_000, maxBytes: 65_536, hosts: asConfigured },
  saml_metadata: { timeout: 10_000, maxBytes: 262_144, hosts: orLoopback },
};

const isMcp = ({ kind }: ProviderCall) => kind === 'mcp_list' || kind === 'mcp_call';

/** The address and whose it is, for messages. */
const placeOf = ({ kind, url, provider }: ProviderCall) => {
  if (kind === 'client_document' || kind === 'saml_metadata') return url;
  return kind === 'issuer_keys'
    ? `${url}, with the keys of ${provider},`
    : `${url}, which plays ${provider},`;
};
