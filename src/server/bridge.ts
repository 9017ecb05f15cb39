import type { ServerResponse } from 'node:http';
import { readPairs } from '../contract/body.ts';
import type { ApiError } from '../errors.ts';
import type { Call } from '../pipeline/call.ts';
import { addressOf, socketOf, type Addressing } from './address.ts';
import type { WithBody } from './body.ts';

export function callOf(request: WithBody, response: ServerResponse, addressing: Addressing): Call {
  return new HttpCall(request, response, addressing);
}

/** Created for every request. It is a class because an object literal with a getter costs as much as parsing the URL. */
class HttpCall implements Call {
  readonly protocol: string;
  readonly method: string;
  readonly path: string;
  readonly url: string;
  readonly query: Call['query'];
  readonly headers: Call['headers'];
  readonly body: Uint8Array | undefined;
  readonly size: number;
  readonly bodyError: ApiError | undefined;
  readonly baseUrl: string;
  readonly host: string;
  readonly #response: ServerResponse;

  constructor(request: WithBody, response: ServerResponse, addressing: Addressing) {
    const url = request.url ?? '/';
    const [path, search] = splitOnce(url, '?');
    const { host, origin } = addressOf(request, addressing);
    this.protocol = `http/${socketOf(request).httpVersion ?? request.httpVersion}`;
    this.method = request.method ?? 'GET';
    this.path = path;
    this.url = url;
    this.query = search === '' ? {} : readPairs(new URLSearchParams(search));
    this.headers = request.headers;
    this.body = request.body instanceof Uint8Array ? request.body : undefined;
    this.size = this.body?.length ?? 0;
    this.bodyError = request.bodyError;
    this.baseUrl = addressing.baseUrl ?? origin;
    this.host = host;
    this.#response = response;
  }

  get signal(): AbortSignal {
    return signalOf(this.#response);
  }
}

/** Aborts when the connection closes before the answer is complete. */
export function signalOf(response: ServerResponse): AbortSignal {
  const leaving = new AbortController();
  if (response.closed) leaving.abort();
  else response.once('close', () => leaving.abort());
  return leaving.signal;
}

function splitOnce(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
}
