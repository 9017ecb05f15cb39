import type { Controls } from '../control/handler.ts';
import { organizationOf } from '../pipeline/find-environment.ts';
import { serve } from '../pipeline/serve.ts';
import { addressOf, authorityOf, callerOf, type Addressing } from './address.ts';
import { basePathOf, withoutBasePath } from './base-path.ts';
import type { RpcServer } from './grpc/wire.ts';
import type { Pipeline, RpcContext, RpcHead } from './grpc/rpc.ts';
import { isPlain } from './request.ts';

/** Serves the calls that RPCs are turned into. */
type RpcCalls = Pick<Pipeline, 'serve' | 'organizationOf'>;

const here = ({ simulator }: Controls): RpcCalls => ({
  serve: (call) => serve(call, simulator),
  organizationOf: (context, externalId) => organizationOf(externalId, context, simulator),
});

/** Loads the gRPC code at its first call, because it is half as large as everything else together. */
export function createRpc(
  controls: Controls,
  addressing: Addressing,
  calls: RpcCalls = here(controls),
): RpcServer {
  const contexts = new RpcContexts(addressing);
  const basePath = basePathOf(addressing);
  const draining = new AbortController();
  let loading: Promise<RpcServer> | undefined;
  let loaded: RpcServer | undefined;
  const load = async () => {
    const { createRpcServer } = await import('./grpc/rpc-server.ts');
    loaded = createRpcServer({
      contract: controls.simulator.contract,
      serve: (call) => calls.serve(call),
      contextOf: (head) => contexts.for(head),
      organizationOf: (context, externalId) => calls.organizationOf(context, externalId),
      draining: draining.signal,
    });
    return loaded;
  };
  return {
    listener(request, response) {
      request.url = withoutBasePath(request.url ?? '/', basePath);
      if (loaded) return loaded.listener(request, response);
      void (loading ??= load()).then(({ listener }) => listener(request, response));
    },
    handleStream(stream, headers, rawHeaders, otherwise) {
      const take = ({ handleStream: takeStream }: RpcServer) =>
        takeStream(stream, headers, rawHeaders, otherwise);
      if (loaded) return take(loaded);
      if (!isPlain(headers[':method'], headers)) return otherwise();
      stream.on('error', () => {}); // the caller may disconnect meanwhile
      void (loading ??= load()).then(take);
    },
    drain: () => draining.abort(),
  };
}

interface Known {
  rawHeaders: readonly string[];
  baseUrl: string | undefined;
  context: RpcContext;
}

/** Clients repeat the same headers with each call of a connection. They are read once and shared by journal entries. */
class RpcContexts {
  readonly #addressing: Addressing;
  readonly #known = new WeakMap<object, Known>();

  constructor(addressing: Addressing) {
    this.#addressing = addressing;
  }

  for(head: RpcHead): RpcContext {
    const { connection, rawHeaders, baseUrl } = head;
    const known = this.#known.get(connection);
    if (known?.baseUrl === baseUrl && known && isSame(known.rawHeaders, rawHeaders)) return known.context;
    const context = this.#read(head);
    this.#known.set(connection, { rawHeaders, baseUrl, context });
    return context;
  }

  #read(head: RpcHead): RpcContext {
    const { host, origin } = addressOf(head, this.#addressing);
    const headers: Record<string, string | string[] | undefined> = {};
    for (const name in head.headers) if (!name.startsWith(':')) headers[name] = head.headers[name];
    // HTTP/2 sends the host as a pseudo-header. Journal and rules expect it where HTTP/1.1 has it.
    headers['host'] = authorityOf(head);
    headers['authorization'] = authorizationsOf(head);
    headers['content-type'] = undefined;
    return {
      headers,
      headersWithBody: { ...headers, 'content-type': 'application/json' },
      baseUrl: this.#addressing.baseUrl ?? origin,
      host,
      address: callerOf(head, this.#addressing),
    };
  }
}

/** Compares all headers except `:path`, which differs with each call. */
function isSame(some: readonly string[], others: readonly string[]): boolean {
  if (some.length !== others.length) return false;
  for (let i = 0; i < some.length; i += 1)
    if (some[i] !== others[i] && !(i % 2 === 1 && some[i - 1] === ':path')) return false;
  return true;
}

/** Node keeps only one of several values. Python's SDK sends two: the first token of its channel and its current one. */
function authorizationsOf({ rawHeaders }: RpcHead): string | string[] | undefined {
  const values = rawHeaders.filter(
    (_, i) => i % 2 === 1 && rawHeaders[i - 1]!.toLowerCase() === 'authorization',
  );
  return values.length > 1 ? values : values[0];
}
