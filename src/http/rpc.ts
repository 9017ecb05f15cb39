import type { RpcListener, RpcRequest } from '../grpc/details.ts';
import type { Opening } from '../grpc/rpc.ts';
import type { Controls } from '../control/serve.ts';
import { ApiError } from '../errors.ts';
import { findEnvironment } from '../pipeline/find-environment.ts';
import { serve, type Simulator } from '../pipeline/serve.ts';
import { addressOf, type Addressing } from './bridge.ts';

const RPC_PATH = /^\/scalekit\.v1\.[\w.]+\/\w+(\?|$)/;

/** gRPC and gRPC-Web by their media type; Connect, whose is JSON's, by its path. */
export const isRpc = ({ headers, url = '' }: RpcRequest) =>
  headers['content-type']?.startsWith('application/grpc') === true || RPC_PATH.test(url);

/** The facade is loaded for its first call: messages and their library are half as much again as the rest. */
export function createRpc({ simulator }: Controls, addressing: Addressing): RpcListener {
  let loading: Promise<RpcListener> | undefined;
  let loaded: RpcListener | undefined;
  const load = async () => {
    const { createFacade } = await import('../grpc/facade.ts');
    loaded = createFacade({
      contract: simulator.contract,
      serve: (call) => serve(call, simulator),
      rejection: (failure, message) => new ApiError(failure, message),
      opening: (request) => openingOf(request, addressing),
      organizationOf: (opening, externalId) => organizationOf(externalId, opening, simulator),
    });
    return loaded;
  };
  return (request, response) => {
    if (loaded) return loaded(request, response);
    void (loading ??= load()).then((answer) => answer(request, response));
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

function openingOf(request: RpcRequest, addressing: Addressing) {
  const { host, origin } = addressOf(request, addressing);
  const headers = Object.fromEntries(
    Object.entries(request.headers).filter(([name]) => !name.startsWith(':')),
  );
  return {
    headers: { ...headers, authorization: authorizationsOf(request) },
    baseUrl: addressing.baseUrl ?? origin,
    host,
  };
}

/** Node keeps one of several; Python's SDK sends the token that its channel began with, and the one that it has now. */
function authorizationsOf({ rawHeaders }: RpcRequest): string | string[] | undefined {
  const values = rawHeaders.filter((_, index) => rawHeaders[index - 1]?.toLowerCase() === 'authorization');
  return values.length > 1 ? values : values[0];
}
