import type { Controls } from '../control/handler.ts';
import { findEnvironment } from '../pipeline/find-environment.ts';
import { serve } from '../pipeline/serve.ts';
import type { Simulator } from '../pipeline/perform.ts';
import { addressOf, authorityOf, type Addressing } from './address.ts';
import type { RpcRequest, RpcServer } from './grpc/details.ts';
import { isPlain } from './grpc/plain.ts';
import type { Heard, Opening } from './grpc/rpc.ts';

const RPC_PATH = /^\/scalekit\.v1\.[\w.]+\/\w+(\?|$)/;

/** gRPC and gRPC-Web by their media type; Connect, whose is JSON's, by its path. */
export const isRpc = ({ headers, url = '' }: RpcRequest) =>
  headers['content-type']?.startsWith('application/grpc') === true || RPC_PATH.test(url);

/** The facade is loaded for its first call: messages and their library are half as much again as the rest. */
export function createRpc({ simulator }: Controls, addressing: Addressing): RpcServer {
  const openings = new Openings(addressing);
  let loading: Promise<RpcServer> | undefined;
  let loaded: RpcServer | undefined;
  const load = async () => {
    const { createFacade } = await import('./grpc/facade.ts');
    loaded = createFacade({
      contract: simulator.contract,
      serve: (call) => serve(call, simulator),
      opening: (heard) => openings.of(heard),
      organizationOf: (opening, externalId) => organizationOf(externalId, opening, simulator),
    });
    return loaded;
  };
  return {
    listener(request, response) {
      if (loaded) return loaded.listener(request, response);
      void (loading ??= load()).then(({ listener }) => listener(request, response));
    },
    takeStream(stream, headers, rawHeaders, otherwise) {
      const take = ({ takeStream }: RpcServer) => takeStream(stream, headers, rawHeaders, otherwise);
      if (loaded) return take(loaded);
      if (!isPlain(headers[':method'], headers)) return otherwise();
      stream.on('error', () => {}); // a caller that leaves meanwhile
      void (loading ??= load()).then(take);
    },
  };
}

/** A call that names no environment of ours is refused by the pipeline. */
function organizationOf(
  externalId: string,
  opening: Opening,
  { environments }: Simulator,
): string | undefined {
  try {
    const { tables } = findEnvironment({ ...opening, path: '', body: undefined }, environments);
    return tables.organizations.findBy('external_id', externalId)?.id;
  } catch {
    return undefined;
  }
}

interface Known {
  rawHeaders: readonly string[];
  baseUrl: string | undefined;
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
    const { connection, rawHeaders, baseUrl } = heard;
    const known = this.#known.get(connection);
    if (known?.baseUrl === baseUrl && known && isSame(known.rawHeaders, rawHeaders)) return known.opening;
    const opening = this.#read(heard);
    this.#known.set(connection, { rawHeaders, baseUrl, opening });
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
