import type { Env, Rows } from '../../state/env.ts';
import { connectionsServing } from '../connections/connection-lookup.ts';
import type { Transaction } from '../sign-in/transaction.ts';
import {
  connectionForEmail,
  domainOf,
  isActive,
  SOCIAL_PROVIDERS,
  socialConnection,
} from './sign-in-connection.ts';

type Connection = Rows['connections'];

export interface SelectionError {
  error: string;
  error_description: string;
}

/** The connection to sign in with, an error, or undefined if the hosted page has to ask. */
export type ConnectionChoice = { connection: Connection } | SelectionError | undefined;

/**
 * Picks the connection by the first selector of the request, in the documented order of precedence, without
 * fall-through (Scalekit docs, Authorization URL). With full-stack authentication an organization needs no
 * connection.
 */
export function chooseConnection(env: Env, transaction: Transaction): ConnectionChoice {
  const { wanted_provider, wanted_connection_id, wanted_organization_id, wanted_domain } = transaction;
  if (wanted_provider) return byProvider(env, wanted_provider);
  if (wanted_connection_id) return byId(env, wanted_connection_id);
  if (wanted_organization_id) return byOrganization(env, wanted_organization_id);
  if (wanted_domain) return byDomain(env, wanted_domain);
  return byEmail(env, transaction.login_hint);
}

const refuse = (error: string, error_description: string): SelectionError => ({ error, error_description });

const isFullStack = (env: Env) => env.settings.get('settings').full_stack_auth;

function byProvider(env: Env, provider: string): ConnectionChoice {
  const connection = socialConnection(env, provider);
  if (connection) return activeConnections(connection);
  // Unverified (identity-provider/unknown-provider): the docs have an error code for selectors but none for an unknown
  // provider.
  env.decidedBy('identity-provider/unknown-provider');
  const known = Object.keys(SOCIAL_PROVIDERS).join(', ');
  return refuse('invalid_connection_selector', `provider ${provider} is not one of ${known}`);
}

function byId(env: Env, id: string): ConnectionChoice {
  const connection = env.connections.find(id);
  if (!connection) return refuse('invalid_connection_id', `connection ${id} not found`);
  return activeConnections(connection);
}

function activeConnections(connection: Connection): ConnectionChoice {
  if (isActive(connection)) return { connection };
  return refuse('connection_not_active', `connection ${connection.id} is not active`);
}

function byOrganization(env: Env, id: string): ConnectionChoice {
  const organization = env.organizations.find(id);
  if (!organization) return refuse('invalid_organization_id', `organization ${id} not found`);
  return firstOf(env, env.connections.list('organization_id', id), `organization ${id}`);
}

function byDomain(env: Env, domain: string): ConnectionChoice {
  const owners = env.domains.list('domain', domain.toLowerCase());
  if (owners.length === 0) return refuse('domain_not_found', `domain ${domain} belongs to no organization`);
  return firstOf(env, connectionsServing(env, domain), `domain ${domain}`);
}

/** Unverified (identity-provider/several-connections): if several connections match, the oldest is used. */
function firstOf(env: Env, connections: readonly Connection[], whose: string): ConnectionChoice {
  const [connection, ...others] = connections.filter(isActive);
  if (others.length > 0) env.decidedBy('identity-provider/several-connections');
  if (connection) return { connection };
  if (isFullStack(env)) return undefined;
  return connections.length === 0
    ? refuse('no_configured_connections', `${whose} has no connection`)
    : refuse('no_active_connections', `${whose} has no active connection`);
}

function byEmail(env: Env, email: string | undefined): ConnectionChoice {
  const connection = email ? connectionForEmail(env, email) : undefined;
  if (connection) return { connection };
  if (isFullStack(env)) return undefined;
  if (!email)
    return refuse(
      'invalid_connection_selector',
      'one of provider, connection_id, organization_id, domain_hint and login_hint is mandatory',
    );
  const domain = domainOf(email);
  if (domain === undefined) return refuse('invalid_user_domain', 'login_hint is not an e-mail address');
  return byDomain(env, domain);
}
