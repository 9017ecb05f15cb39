import type { Contract } from '@understudy/core/contract/contract';
import { isJson } from '@understudy/core/contract/compiled';
import { LARGEST_BODY } from '@understudy/core/journal/redaction';
import { withoutBytes, type Exchange, type Protocol, type RecordedMessage } from '../recordings/exchange.ts';
import { decompress } from '../rpc/frames.ts';
import type { errorInTrailers, errorOfConnect, Framing, RpcReader } from '../rpc/rpc-reader.ts';
import { BODY_LIMIT } from './body-tap.ts';

/** An exchange as it passed by. */
export interface Passed {
  n: number;
  /** Milliseconds of the machine. */
  at: number;
  ended: number;
  isWebhook: boolean;
  request: PassedMessage & { method: string; path: string };
  response: PassedMessage & { status: number; trailers: readonly string[]; failed?: string };
}

interface PassedMessage {
  /** Names and values alternate. */
  headers: readonly string[];
  size: number;
  /** Undefined for a body that was too large. */
  body: Buffer | undefined;
}

/** What is loaded for the first RPC. */
export interface RpcReading {
  reader: RpcReader;
  errorInTrailers: typeof errorInTrailers;
  errorOfConnect: typeof errorOfConnect;
}

type Headers = RecordedMessage['headers'];

/** Of a connection, and what the length of a body says. */
const NOT_KEPT =
  /^(:.*|connection|content-length|http2-settings|keep-alive|proxy-connection|te|trailer|transfer-encoding|upgrade)$/;

/** Names in lower case. A repeated header is a list. */
function headersOf(raw: readonly string[]): Headers {
  const headers = new Map<string, string | string[]>();
  for (let i = 0; i < raw.length; i += 2) {
    const name = raw[i]!.toLowerCase();
    if (NOT_KEPT.test(name)) continue;
    const known = headers.get(name);
    headers.set(name, known === undefined ? raw[i + 1]! : [known, raw[i + 1]!].flat());
  }
  return Object.fromEntries(headers);
}

const oneOf = (headers: Headers, name: string): string => String([headers[name] ?? ''].flat()[0]);

/** `/package.Service/Method`. */
const RPC_PATH = /^\/(\w+\.)+[A-Z]\w*\/[A-Z]\w*$/;

/** How an RPC is framed; undefined for other calls. */
export function framingOf(rawHeaders: readonly string[], path: string): Framing | undefined {
  const headers = headersOf(rawHeaders);
  const type = oneOf(headers, 'content-type');
  if (type.startsWith('application/grpc-web')) return 'grpc-web';
  if (type.startsWith('application/grpc')) return 'grpc';
  const isConnect = type.startsWith('application/connect+') || 'connect-protocol-version' in headers;
  return isConnect || RPC_PATH.test(placeOf(path)) ? 'connect' : undefined;
}

/** An exchange in the form of a recording, with all its secrets. */
export function describe(passed: Passed, contract: Contract, rpc?: RpcReading): Exchange {
  const { request, response } = passed;
  const { status, failed } = response;
  const requestHead = { method: request.method, path: request.path, headers: headersOf(request.headers) };
  const trailers = headersOf(response.trailers) as Record<string, string>;
  const exchange: Exchange = {
    n: passed.n,
    at: new Date(passed.at).toISOString(),
    ended: new Date(passed.ended).toISOString(),
    protocol: passed.isWebhook ? 'webhook' : 'rest',
    request: requestHead,
    response: {
      status,
      headers: headersOf(response.headers),
      ...(Object.keys(trailers).length > 0 && { trailers }),
      ...(failed !== undefined && { failed }),
    },
  };
  const framing = passed.isWebhook ? undefined : framingOf(request.headers, request.path);
  if (framing && rpc) return withMessages(exchange, passed, framing, rpc);
  return withBodies(exchange, passed, passed.isWebhook ? undefined : operationOf(passed, contract));
}

const placeOf = (path: string) => path.split('?', 1)[0]!;

function operationOf({ request }: Passed, contract: Contract) {
  try {
    return contract.router.route(request.method, placeOf(request.path)).operation;
  } catch {
    return undefined; // unknown to us, which is what a recording is for
  }
}

function withBodies(
  { request, response, protocol, ...others }: Exchange,
  passed: Passed,
  operation: { id: string; dialect: string } | undefined,
): Exchange {
  const isOAuth = operation?.dialect === 'oauth' || operation?.dialect === 'registration';
  const spoken: Protocol = isOAuth ? 'oauth' : protocol;
  return {
    ...others,
    protocol: spoken,
    ...(operation && { operation: operation.id }),
    request: { ...request, ...bodyOf(passed.request, request.headers) },
    response: { ...response, ...bodyOf(passed.response, response.headers) },
  };
}

const TEXT = /^(text\/|application\/(xml|javascript|x-ndjson|[\w.-]+\+xml))/;

/** A body in the form that its media type says, or its length. */
function bodyOf({ size, body }: PassedMessage, headers: Headers): Partial<RecordedMessage> {
  if (size === 0) return {};
  const type = oneOf(headers, 'content-type').split(';', 1)[0]!.trim().toLowerCase();
  const text = body && textOf(body, oneOf(headers, 'content-encoding'));
  if (text === undefined) return { bytes: size };
  if (type === 'application/x-www-form-urlencoded') return { form: formOf(text) };
  const isStructured = isJson(type) || (type === '' && /^\s*[{[]/.test(text));
  const json = isStructured ? jsonOf(text) : undefined;
  if (json !== undefined) return { json: json.value };
  const isText = (TEXT.test(type) || isStructured) && text.length <= LARGEST_BODY;
  return isText ? { text } : { bytes: size };
}

/** Undefined for what is not UTF-8 once it is decompressed. */
function textOf(body: Buffer, encoding: string): string | undefined {
  try {
    const bytes = decompress(body, encoding, BODY_LIMIT);
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function formOf(text: string): Record<string, string[]> {
  const form = new Map<string, string[]>();
  for (const [name, value] of new URLSearchParams(text)) form.set(name, [...(form.get(name) ?? []), value]);
  return Object.fromEntries(form);
}

function jsonOf(text: string): { value: unknown } | undefined {
  try {
    return { value: withoutLongBytes(JSON.parse(text)) };
  } catch {
    return undefined;
  }
}

function withoutLongBytes(value: unknown): unknown {
  if (typeof value === 'string') return withoutBytes(value);
  if (Array.isArray(value)) return value.map(withoutLongBytes);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withoutLongBytes(member)]));
}

function withMessages(exchange: Exchange, passed: Passed, framing: Framing, rpc: RpcReading): Exchange {
  const path = placeOf(passed.request.path);
  const { operation: _, request, response, ...others } = exchange;
  const sent = readSide(passed.request, { path, side: 'input', framing, headers: request.headers }, rpc);
  const failure =
    framing === 'connect' && response.status !== 200
      ? connectFailure(passed, response.headers, rpc)
      : undefined;
  const got =
    failure ?? readSide(passed.response, { path, side: 'output', framing, headers: response.headers }, rpc);
  const told = { ...onlyGrpc(response.headers), ...response.trailers, ...got.trailers };
  const error = rpc.errorInTrailers(told);
  const { 'grpc-status-details-bin': __, ...trailers } = told;
  const operation = rpc.reader.operationOf(path, 'messages' in sent ? (sent.messages ?? []) : []);
  return {
    ...others,
    protocol: framing,
    ...(operation !== undefined && { operation }),
    request: { ...request, ...sent },
    response: {
      ...response,
      headers: withoutGrpc(response.headers),
      ...got,
      ...(error && !failure && { json: error }),
      ...(Object.keys(trailers).length > 0 && { trailers }),
    },
  };
}

interface Side {
  path: string;
  side: 'input' | 'output';
  framing: Framing;
  headers: Headers;
}

type ReadMessages = Partial<RecordedMessage> & { trailers?: Record<string, string> };

/** A body that cannot be read keeps its length. */
function readSide(
  { size, body }: PassedMessage,
  { path, side, framing, headers }: Side,
  rpc: RpcReading,
): ReadMessages {
  if (!body) return { bytes: size };
  const isFramed = framing !== 'connect' || oneOf(headers, 'content-type').startsWith('application/connect+');
  const encoding = oneOf(headers, framing === 'connect' ? 'connect-content-encoding' : 'grpc-encoding');
  try {
    const whole = isFramed ? body : decompress(body, oneOf(headers, 'content-encoding'), BODY_LIMIT);
    const contentType = oneOf(headers, 'content-type');
    return rpc.reader.read(path, side, framing, { contentType, encoding, body: whole });
  } catch {
    return size === 0 ? {} : { bytes: size };
  }
}

/** The same as the trailers of the other framings, so that all framings can be compared. */
function connectFailure({ response }: Passed, headers: Headers, rpc: RpcReading): ReadMessages | undefined {
  const text = response.body && textOf(response.body, oneOf(headers, 'content-encoding'));
  const error = text === undefined ? undefined : rpc.errorOfConnect(jsonOf(text)?.value);
  return error && { json: error, trailers: { 'grpc-status': String(error.code) } };
}

/** An answer that consists of an error alone has its trailers as headers. */
const onlyGrpc = (headers: Headers) =>
  Object.fromEntries(
    Object.entries(headers).filter(([name]) => /^grpc-(status|message|status-details-bin)$/.test(name)),
  ) as Record<string, string>;

const withoutGrpc = (headers: Headers) =>
  Object.fromEntries(
    Object.entries(headers).filter(([name]) => !/^grpc-(status|message|status-details-bin)$/.test(name)),
  );
