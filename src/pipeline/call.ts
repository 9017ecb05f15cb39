import type { ApiError } from '../errors.ts';

/** One request, whatever carried it. */
export interface Call {
  protocol: string;
  method: string;
  /** Without the query, as it came. */
  path: string;
  /** With the query. */
  url: string;
  query: Record<string, string | string[]>;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  body: Uint8Array | undefined;
  /** Of the body, in bytes. */
  size: number;
  /** Why the body could not be taken in, such as its size. */
  bodyError?: ApiError;
  /** What issuer and links of the answer say. */
  baseUrl: string;
  host: string;
}

export interface Reply {
  status: number;
  headers: Record<string, string>;
  /** Plain JSON; undefined: no body. */
  body: unknown;
}

export function header(call: Pick<Call, 'headers'>, name: string): string | undefined {
  const value = call.headers[name];
  return Array.isArray(value) ? value[0] : value;
}
