import { OAuthError } from '../../contract/errors.ts';
import type { Rows } from '../../state/env.ts';
import type { Env } from '../../state/env.ts';
import { isUsable } from '../clients/secrets.ts';

type Client = Rows['clients'];

/** The pipeline writes HTTP Basic credentials into the same fields. */
interface Credentials {
  client_id?: string | undefined;
  client_secret?: string | undefined;
  /** The resource whose token endpoint is asked. */
  at_resource?: string | undefined;
}

/** The client, and whether a secret has proved it. */
export interface IdentifiedClient {
  client: Client;
  proved: boolean;
}

/** The client of the credentials; marks its secret as used. */
export function authenticateClient(env: Env, credentials: Credentials): Client {
  const { client, proved } = identifyClient(env, credentials);
  return proved ? client : refuse();
}

/**
 * Like `authenticateClient`, but a public client only needs its id. A public client of a protected resource is refused
 * (Scalekit docs, Managing MCP clients).
 */
export function authenticateUnlessPublic(env: Env, credentials: Credentials): Client {
  const { client, proved } = identifyClient(env, credentials);
  return proved || (isPublic(client) && !client.resource_id) ? client : refuse();
}

/** The named client. A missing secret proves nothing; a wrong one is rejected. */
export function identifyClient(env: Env, credentials: Credentials): IdentifiedClient {
  const { client_id, client_secret, at_resource } = credentials;
  if (!client_id) throw new OAuthError('invalid_client', 'client_id missing');
  const client = findClient(env, client_id, at_resource);
  if (!client || (at_resource && client.resource_id !== at_resource)) return refuse();
  if (!client_secret) return { client, proved: false };
  const used = client.secrets.find((each) => each.secret === client_secret && isUsable(env, each));
  if (!used) return refuse();
  const last_used_time = env.clock.iso();
  const secrets = client.secrets.map((each) => (each === used ? { ...each, last_used_time } : each));
  return { client: env.trace(() => env.clients.update(client.id, { secrets })), proved: true };
}

/** The client with this client id, which for a metadata document is its address. */
export function findClient(
  env: Pick<Env, 'clients'>,
  client_id: string,
  resource_id: unknown,
): Client | undefined {
  const client =
    env.clients.find(client_id) ?? env.clients.findBy('metadata_uri', `${String(resource_id)} ${client_id}`);
  return client?.metadata_uri && client.metadata_uri !== client_id ? undefined : client;
}

/** Whether an application calls the API with the client, unlike the clients of organizations and resources. */
export const isEnvironmentClient = ({ client_type = 'ENV', organization_id, resource_id }: Client) =>
  client_type === 'ENV' && !organization_id && !resource_id;

/**
 * Public clients run where everybody can read their code: in a browser or on a phone. A client of a protected resource
 * is public if it has no secret.
 */
export const isPublic = ({ client_type, resource_id, secrets }: Client) =>
  client_type === 'SPA' || client_type === 'NTV' || (resource_id !== undefined && secrets.length === 0);

function refuse(): never {
  throw new OAuthError('invalid_client', 'invalid client_id / client_secret');
}
