import { LARGEST_BODY } from '@understudy/core/journal/redaction';
import type { Entry } from '@understudy/core/journal/entry';
import type { Call } from '@understudy/core/pipeline/call';
import type { Correspondence } from './correspondence.ts';

/** Where the call goes. */
interface Destination {
  environment: string;
  /** As callers reached the service of the bundle. */
  baseUrl: string;
}

/** Why the call cannot be made again; undefined if it can. */
export function obstacleOf(entry: Entry): string | undefined {
  if (entry.requestSize > LARGEST_BODY) return 'its body is too large for a bundle';
  if (entry.interceptors.length > 0) return 'it asked an interceptor, which is not here';
  if (entry.providers.length > 0) return 'it called a provider, which is not here';
  if (headerOf(entry, 'content-type')?.startsWith('multipart/')) return 'its body was not kept';
  return undefined;
}

function headerOf({ headers }: Entry, name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'string' ? value : undefined;
}

/** The call as its caller would make it now. */
export function sentCall(entry: Entry, known: Correspondence, { environment, baseUrl }: Destination): Call {
  const { protocol, method } = entry;
  const path = known.translate(entry.path);
  const query = known.translateAll(entry.query) as Call['query'];
  const headers = headersOf(entry, known);
  const isRpc = !protocol.startsWith('http');
  const body = isRpc ? undefined : bodyOf(entry, known);
  const host = headerOf(entry, 'host') ?? new URL(baseUrl).host;
  const search = searchOf(query);
  return {
    protocol,
    method,
    path,
    url: search === '' ? path : `${path}?${search}`,
    query,
    headers,
    body,
    size: body?.length ?? 0,
    baseUrl: baseUrl.replace(/^(https?:\/\/)[^/]+/, `$1${host}`),
    host,
    environment,
    ...(isRpc && {
      message: known.translateAll(entry.body ?? {}),
      isUnknownRpc: entry.operation === undefined,
    }),
    ...callerOf(entry, known),
  };
}

/** A token that the bundle does not have is not needed: the journal says whose it was. */
function callerOf(entry: Entry, known: Correspondence): Pick<Call, 'caller'> {
  const { caller } = entry;
  const isUnknown = known.unknownIn(headerOf(entry, 'authorization') ?? '').length > 0;
  if (!caller || !isUnknown) return {};
  const { client_id, subject } = caller;
  return { caller: { client_id, ...(subject !== undefined && { subject }) } };
}

function headersOf(entry: Entry, known: Correspondence): Call['headers'] {
  const { authorization, ...others } = known.translateAll(entry.headers) as Record<string, string | string[]>;
  if (authorization === undefined) return others;
  return {
    ...others,
    authorization: basicAgain(headerOf(entry, 'authorization') ?? '', known) ?? authorization,
  };
}

function basicAgain(header: string, known: Correspondence): string | undefined {
  const [, encoded] = /^basic (\S+)$/i.exec(header) ?? [];
  if (encoded === undefined) return undefined;
  const [id = '', secret = ''] = Buffer.from(encoded, 'base64').toString().split(/:(.*)/s);
  return `Basic ${Buffer.from(`${known.translate(id)}:${known.translate(secret)}`).toString('base64')}`;
}

function bodyOf(entry: Entry, known: Correspondence): Uint8Array | undefined {
  const { body, unread } = entry;
  if (body === undefined) return unread === undefined ? undefined : Buffer.from(known.translate(unread));
  const sent = known.translateAll(body);
  const type = headerOf(entry, 'content-type') ?? '';
  if (type.includes('form-urlencoded')) return Buffer.from(searchOf(sent as Call['query']));
  return Buffer.from(typeof sent === 'string' && !type.includes('json') ? sent : JSON.stringify(sent));
}

function searchOf(values: Readonly<Record<string, unknown>>): string {
  const pairs = Object.entries(values).flatMap(([name, value]) =>
    [value].flat().map((each) => [name, String(each)] as [string, string]),
  );
  return new URLSearchParams(pairs).toString();
}
