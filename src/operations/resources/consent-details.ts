import type { Env } from '../../environment/env.ts';
import { userOf } from '../sign-in/consent.ts';
import type { Transaction } from '../sign-in/transaction.ts';
import { publicId } from './resource-client-view.ts';
import { viewResource } from './resource-view.ts';

/** What a client asks the user for. */
export function consentDetails(env: Env, transaction: Transaction) {
  const { client_id, resource_id = '', organization_id } = transaction;
  const resource = viewResource(env, env.resources.get(resource_id));
  const client = env.clients.get(client_id);
  const { email } = userOf(env, transaction);
  return {
    resource,
    ...(email && { user: { email } }),
    client: {
      name: client.name,
      privacy_uri: client.policy_uri ?? '',
      tos_uri: client.tos_uri ?? '',
      client_id: publicId(client),
      metadata_uri: client.metadata_uri ?? '',
      logo_uri: client.logo_uri ?? '',
    },
    scopes: askedScopes(env, transaction),
    application: applicationOf(resource),
    ...(organization_id && { organization: organizationOf(env, organization_id) }),
  };
}

/** OpenID's own scopes have no row. */
export const askedScopes = (env: Env, { scopes }: Pick<Transaction, 'scopes'>) =>
  scopes.map((name) => ({
    name,
    description: env.scopes.findBy('name', name)?.description || (OPENID_SCOPES.get(name) ?? ''),
  }));

const OPENID_SCOPES: ReadonlyMap<string, string> = new Map([
  ['openid', 'Know who you are'],
  ['profile', 'See your name and picture'],
  ['email', 'See your e-mail address'],
  ['offline_access', 'Stay signed in while you are away'],
]);

function applicationOf(resource: ReturnType<typeof viewResource>) {
  const {
    id,
    name,
    description,
    resource_type: application_type,
    resource_id,
    logo_uri,
    provider,
  } = resource;
  const { disable_dynamic_client_registration, create_time, update_time } = resource;
  const { access_token_expiry, refresh_token_expiry } = resource;
  return {
    id,
    name,
    resource_id,
    description,
    application_type,
    disable_dynamic_client_registration,
    logo_uri,
    access_token_expiry,
    refresh_token_expiry,
    create_time,
    update_time,
    provider,
  };
}

const organizationOf = (env: Env, id: string) => ({
  organization_name: env.organizations.get(id).display_name,
  organization_meta_name: 'Organization',
});
