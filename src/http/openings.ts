import type { Heard, Opening } from '../grpc/rpc.ts';
import { addressOf, authorityOf, type Addressing } from './address.ts';

interface Known {
  rawHeaders: readonly string[];
  opening: Opening;
}

/** Clients send the same headers with each call of a connection: they are read, and kept by the journal, once. */
export class Openings {
  readonly #addressing: Addressing;
  readonly #known = new WeakMap<object, Known>();

  constructor(addressing: Addressing) {
    this.#addressing = addressing;
  }

  of(heard: Heard): Opening {
    const { connection, rawHeaders } = heard;
    const known = this.#known.get(connection);
    if (known && isSame(known.rawHeaders, rawHeaders)) return known.opening;
    const opening = this.#read(heard);
    this.#known.set(connection, { rawHeaders, opening });
    return opening;
  }

  #read(heard: Heard): Opening {
    const { host, origin } = addressOf(heard, this.#addressing);
    const headers: Record<string, string | string[] | undefined> = {};
    for (const name in heard.headers) if (!name.startsWith(':')) headers[name] = heard.headers[name];
    // HTTP/2 has it in a pseudo-header; journal and rules look for it where HTTP/1.1 has it.
    headers['host'] = authorityOf(heard);
    headers['authorization'] = authorizationsOf(heard);
    headers['content-type'] = undefined;
    return {
      headers,
      headersOfBody: { ...headers, 'content-type': 'application/json' },
      baseUrl: this.#addressing.baseUrl ?? origin,
      host,
    };
  }
}

/** But for the path, which is each call's own. */
function isSame(some: readonly string[], others: readonly string[]): boolean {
  if (some.length !== others.length) return false;
  for (let i = 0; i < some.length; i += 1)
    if (some[i] !== others[i] && !(i % 2 === 1 && some[i - 1] === ':path')) return false;
  return true;
}

/** Node keeps one of several; Python's SDK sends the token that its channel began with, and the one that it has now. */
function authorizationsOf({ rawHeaders }: Heard): string | string[] | undefined {
  const values = rawHeaders.filter(
    (_, i) => i % 2 === 1 && rawHeaders[i - 1]!.toLowerCase() === 'authorization',
  );
  return values.length > 1 ? values : values[0];
}
