import type { Env } from '../../environment/env.ts';
import type { Rows } from '../../environment/rows/schema.ts';
import { ApiError, notFound } from '../../errors.ts';
import { viewOrganizationClient } from '../clients/client-view.ts';

export type Client = Rows['clients'];
export type ResourceClient = Client & { resource_id: string };

/** Whether the client came by itself: it registered, or has a metadata document. */
export const isSelfMade = ({ is_dcr, metadata_uri }: Client): boolean =>
  is_dcr === true || metadata_uri !== undefined;

/** Unverified: the docs give no number. Anybody can add such clients, so there must be one. */
const MOST_SELF_MADE = 1000;

/** Throws if the resource has as many clients that came by themselves as it may have. */
export function refuseFurtherClients(env: Env, { id }: Rows['resources']): void {
  if (env.clients.count('resource_id', id) < MOST_SELF_MADE) return;
  if (env.clients.list('resource_id', id).filter(isSelfMade).length < MOST_SELF_MADE) return;
  const most = `resource ${id} may have no more than ${MOST_SELF_MADE} clients that registered themselves`;
  throw new ApiError('permission_denied', `${most}: delete some, or reset the environment`);
}

/** The client id that the client sends: for a metadata document, its address. */
export const publicId = ({ id, metadata_uri }: Client): string => metadata_uri ?? id;

export function viewResourceClient(client: Client) {
  return {
    ...viewOrganizationClient(client),
    resource_id: client.resource_id ?? '',
    redirect_uris: client.post_login_uris ?? [],
    is_dcr: client.is_dcr ?? false,
    is_cimd: client.metadata_uri !== undefined,
    metadata_uri: client.metadata_uri ?? '',
  };
}

/** A client of another resource is not found. */
export function getResourceClient(
  env: Env,
  path: { resource_id: string; client_id: string },
): ResourceClient {
  const { id: resource_id } = env.resources.get(path.resource_id);
  const client = env.clients.find(path.client_id);
  if (client?.resource_id !== resource_id) throw notFound('client', path.client_id);
  return { ...client, resource_id };
}
