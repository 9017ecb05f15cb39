import { OAuthError } from '../../errors.ts';
import type { Rows } from '../../environment/rows/schema.ts';
import type { Env } from '../../environment/env.ts';
import { isUsable } from '../clients/secrets.ts';

type Client = Rows['clients'];

/** The pipeline writes HTTP Basic credentials into the same fields. */
export interface Credentials {
  client_id?: string | undefined;
  client_secret?: string | undefined;
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

/** Like `authenticateClient`, but a public client only needs its id. */
export function authenticateUnlessPublic(env: Env, credentials: Credentials): Client {
  const { client, proved } = identifyClient(env, credentials);
  return proved || isPublic(client) ? client : refuse();
}

/** The named client. A missing secret proves nothing; a wrong one is rejected. */
export function identifyClient(env: Env, { client_id, client_secret }: Credentials): IdentifiedClient {
  if (!client_id) throw new OAuthError('invalid_client', 'client_id missing');
  const client = env.clients.find(client_id);
  if (!client) return refuse();
  if (!client_secret) return { client, proved: false };
  const used = client.secrets.find((each) => each.secret === client_secret && isUsable(env, each));
  if (!used) return refuse();
  const last_used_time = env.clock.iso();
  const secrets = client.secrets.map((each) => (each === used ? { ...each, last_used_time } : each));
  return { client: env.trace(() => env.clients.update(client.id, { secrets })), proved: true };
}

/** Public clients run where everybody can read their code: in a browser or on a phone. */
export const isPublic = ({ client_type }: Client) => client_type === 'SPA' || client_type === 'NTV';

function refuse(): never {
  throw new OAuthError('invalid_client', 'invalid client_id / client_secret');
}
