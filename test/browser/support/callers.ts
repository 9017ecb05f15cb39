import { ScalekitClient } from '@scalekit-sdk/node';
import { KNOWN_CREDENTIALS } from '../../../src/start/config.ts';
import { tokenOf, type Stage } from './stage.ts';

interface Credentials {
  client_id: string;
  client_secret: string;
}

/** The official SDK, which calls over gRPC. */
export const sdkOf = ({ issuer }: Stage, { client_id, client_secret }: Credentials = KNOWN_CREDENTIALS) =>
  new ScalekitClient(issuer, client_id, client_secret);

export interface RestCall {
  method?: string;
  body?: object;
  headers?: Record<string, string>;
}

/** A caller of the REST API that asks for one token. Resolves to the status of each answer. */
export async function restOf(
  { issuer }: Stage,
  credentials: Credentials = KNOWN_CREDENTIALS,
): Promise<(path: string, call?: RestCall) => Promise<number>> {
  const token = await tokenOf({ issuer }, credentials);
  return async (path, { method = 'GET', body, headers = {} } = {}) => {
    const response = await fetch(issuer + path, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    await response.arrayBuffer();
    return response.status;
  };
}
