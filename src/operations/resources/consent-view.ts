import type { Env } from '../../environment/env.ts';
import type { Rows } from '../../environment/rows/schema.ts';
import { publicId } from './resource-client-view.ts';

type Consent = Rows['consents'];

/** Unverified: a user whom the application knows goes by the application's id. */
export const externalUserId = (env: Env, { user_id, subject }: Consent): string =>
  (user_id && env.users.find(user_id)?.external_id) || subject;

export function viewConsent(env: Env, consent: Consent) {
  const { id, client_id, scopes, granted_at } = consent;
  const client = env.clients.get(client_id);
  const external_user_id = externalUserId(env, consent);
  return { id, external_user_id, client_id: publicId(client), client_name: client.name, scopes, granted_at };
}
