import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RpcRequest, RpcServer } from '../grpc/details.ts';
import { isPlain } from '../grpc/plain.ts';
import type { Opening } from '../grpc/rpc.ts';
import type { Controls } from '../control/serve.ts';
import { ApiError } from '../errors.ts';
import { findEnvironment } from '../pipeline/find-environment.ts';
import { serve, type Simulator } from '../pipeline/serve.ts';
import type { Addressing } from './address.ts';
import type { BrowserGuard } from './browser-guard.ts';
import { refuse } from './control-door.ts';
import { Openings } from './openings.ts';

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
    const { createFacade } = await import('../grpc/facade.ts');
    loaded = createFacade({
      contract: simulator.contract,
      serve: (call) => serve(call, simulator),
      rejection: (failure, message) => new ApiError(failure, message),
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

/** Refuses what web pages of a foreign name send. Browsers speak HTTP/2 over TLS alone, where our certificate must have the name. */
export function withoutPages(rpc: RpcServer, guard: BrowserGuard): RpcServer {
  return {
    takeStream: rpc.takeStream,
    listener(request, response) {
      const isHttp1 = request.httpVersionMajor === 1;
      const refusal = isHttp1 ? guard.serviceRefusal(request as IncomingMessage) : undefined;
      if (refusal) refuse(request as IncomingMessage, response as ServerResponse, refusal);
      else rpc.listener(request, response);
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
