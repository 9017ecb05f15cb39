import { readPairs } from '../contract/body.ts';
import type { Call, WrittenReply } from '../pipeline/call.ts';
import type { Apis } from './serve.ts';

const CONTROL = /^\/_control\//;

/**
 * A `fetch` that calls both APIs as functions, without a connection. Addresses in the answers begin as those of the call
 * `origin` do.
 */
export function inMemory(origin: Call, left: AbortSignal, apis: Apis): typeof globalThis.fetch {
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
