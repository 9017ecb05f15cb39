import type { Env, Rows } from '../../state/env.ts';
import { page } from '../../rows/page.ts';
import { ApiError, notFound } from '../../contract/errors.ts';
import type { Operations } from '../handler.ts';
import { callingUser, containsText, listing } from '../lists.ts';
import { userOf } from '../sign-in/consent.ts';
import type { Transaction } from '../sign-in/transaction.ts';
import { externalUserId, publicId } from './resource-clients.ts';
import { viewResource } from './resources.ts';

type Consent = Rows['consents'];

const MOST = 30;

export const consents = {
  ClientService_ListResourceUserConsents({ query }, env) {
    const { id } = env.resources.get(query.resource_id);
    const { rows, ...rest } = page(env.consents, {
      ...listing(query, env, MOST),
      by: ['resource_id', id],
      where: wantedConsents(env, query.search, query['filter.external_user_id']),
    });
    return { ...rest, consents: rows.map((each) => viewConsent(env, each)) };
  },

  ClientService_ListCurrentAgentConsents({ query }, env) {
    const { rows, ...rest } = page(env.consents, {
      ...listing(query, env, MOST),
      by: ['user_id', callingUser(env).id],
    });
    return { ...rest, consents: rows.map((each) => viewConsent(env, each)) };
  },

  ClientService_RevokeCurrentAgentConsent({ path }, env) {
    const consent = env.consents.find(path.consent_id);
    // Another user's consent is not found, so nobody learns that it exists.
    if (consent?.user_id !== callingUser(env).id) throw notFound('consent', path.consent_id);
    revoke(env, consent);
    return {};
  },

  ClientService_RevokeUserConsent({ path }, env) {
    const consent = env.consents.find(path.consent_id);
    if (consent?.client_id !== path.client_id) throw notFound('consent', path.consent_id);
    revoke(env, consent);
    return {};
  },

  ClientService_GetConsentDetails({ cookies }, env) {
    const secret = cookies.understudy_login;
    const transaction = secret ? env.login_transactions.list('asks_consent', secret).at(-1) : undefined;
    if (!transaction)
      throw new ApiError(
        'not_found',
        'no sign-in of this browser waits for consent: start again at the client',
        { why: { kind: 'state' } },
      );
    return consentDetails(env, transaction);
  },
} satisfies Partial<Operations>;

/** Ids that are not blank win over the search, as in the descriptors of the Python SDK. */
function wantedConsents(env: Env, search = '', userIds: readonly string[] = []) {
  const wanted = new Set(userIds.filter((each) => each.trim() !== ''));
  if (wanted.size > 0) return (consent: Consent) => wanted.has(externalUserId(env, consent));
  return search ? (consent: Consent) => isFound(env, consent, search) : undefined;
}

function isFound(env: Env, consent: Consent, search: string): boolean {
  const { external_user_id, client_id, client_name } = viewConsent(env, consent);
  const user = consent.user_id ? env.users.find(consent.user_id) : undefined;
  return containsText(search, [external_user_id, client_id, client_name, user?.email]);
}

/** Access tokens stay valid until they expire (Scalekit docs, Managing MCP clients). */
function revoke(env: Env, { id, client_id, subject }: Consent): void {
  env.remove('consents', id);
  const revoked_at = env.clock.iso();
  for (const token of env.refresh_tokens.list('client_id', client_id))
    if (token.subject === subject && !token.revoked_at) env.refresh_tokens.update(token.id, { revoked_at });
}

function viewConsent(env: Env, consent: Consent) {
  const { id, client_id, scopes, granted_at } = consent;
  const client = env.clients.get(client_id);
  const external_user_id = externalUserId(env, consent);
  return { id, external_user_id, client_id: publicId(client), client_name: client.name, scopes, granted_at };
}

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
const askedScopes = (env: Env, { scopes }: Pick<Transaction, 'scopes'>) =>
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
