import { request, type IncomingMessage } from 'node:http';
import type { Rows } from '@understudy/core/state/env';
import { isObject } from '@understudy/text/json';

type IdpRequest = Rows['idp_pushes']['attempts'][number]['requests'][number];

/** What a directory has answered. */
export interface ScimAnswer {
  /** 0: there was no answer. */
  status: number;
  body: Readonly<Record<string, unknown>>;
  /** Seconds after which the provider may call again. */
  retryAfter: number | undefined;
}

interface Target {
  /** Where this process answers, such as `http://localhost:8080`. */
  address: string;
  /** The address that the provider knows. */
  endpoint: URL;
  token: string;
  environment: string;
  userAgent: string;
  signal: AbortSignal;
}

/** Real milliseconds. */
const TIMEOUT = 10_000;
const MEDIA_TYPE = 'application/scim+json';

/** Calls one directory as its provider does, and keeps what was asked and answered. */
export class ScimClient {
  readonly requests: IdpRequest[] = [];
  readonly #target: Target;

  constructor(target: Target) {
    this.#target = target;
  }

  /** Never throws: without an answer, the status is 0. */
  async call(method: string, path: string, body?: object): Promise<ScimAnswer> {
    const asked = { method, path };
    try {
      const { response, text } = await this.#send(method, path, body);
      const status = response.statusCode ?? 0;
      const parsed = objectIn(text);
      const told = status >= 400 ? refusalIn(parsed) : {};
      this.requests.push({ ...asked, status, ...told });
      return { status, body: parsed, retryAfter: secondsIn(response.headers['retry-after']) };
    } catch (thrown) {
      const { message, code } = thrown as NodeJS.ErrnoException;
      this.requests.push({ ...asked, error: code ?? message });
      return { status: 0, body: {}, retryAfter: undefined };
    }
  }

  async #send(method: string, path: string, body?: object) {
    const { address, endpoint, token, environment, userAgent, signal } = this.#target;
    const text = body && JSON.stringify(body);
    const sending = request(new URL(`${endpoint.pathname}${path}`, address), {
      method,
      agent: false,
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT)]),
      headers: {
        host: endpoint.host,
        authorization: `Bearer ${token}`,
        accept: MEDIA_TYPE,
        'user-agent': userAgent,
        'understudy-environment': environment,
        ...(text !== undefined && {
          'content-type': MEDIA_TYPE,
          'content-length': Buffer.byteLength(text),
        }),
      },
    });
    const answered = new Promise<IncomingMessage>((resolve, reject) => {
      sending.on('response', resolve).on('error', reject);
    });
    sending.end(text);
    const response = await answered;
    const chunks: Buffer[] = [];
    for await (const chunk of response as AsyncIterable<Buffer>) chunks.push(chunk);
    return { response, text: Buffer.concat(chunks).toString() };
  }
}

function objectIn(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : {};
  } catch {
    return {}; // not JSON, or empty
  }
}

const refusalIn = ({ scimType, detail, message }: Record<string, unknown>) => ({
  ...(typeof scimType === 'string' && { scim_type: scimType }),
  ...(typeof detail === 'string' ? { detail } : typeof message === 'string' && { detail: message }),
});

/** No provider waits longer, in seconds. */
const LONGEST_WAIT = 30 * 86_400;

function secondsIn(header: string | undefined): number | undefined {
  const seconds = Number(header ?? NaN);
  return seconds >= 0 ? Math.min(seconds, LONGEST_WAIT) : undefined;
}
