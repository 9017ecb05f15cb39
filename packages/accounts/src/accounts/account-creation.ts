import { taken } from '@understudy/core/operations/conflicts';
import type { Rows } from '@understudy/core/state/env';
import type { Env } from '@understudy/core/state/env';
import { accountsNamed, connectionOf } from './account-selection.ts';
import { areUsable } from './credentials.ts';

type Account = Rows['connected_accounts'];

/** The owner and the connection of a new account. */
interface NewAccount {
  connector: string;
  identifier: string;
  organization_id?: string | undefined;
  user_id?: string | undefined;
}

/** The same identifier may exist under another organization or user. */
export function refuseDuplicate(env: Env, owned: NewAccount): void {
  const { connector, identifier, organization_id = '', user_id = '' } = owned;
  const connection = connectionOf(env, connector);
  const by = accountsNamed(env, connection.id, identifier).find(
    (a) => (a.organization_id ?? '') === organization_id && (a.user_id ?? '') === user_id,
  );
  if (by) throw taken(env, 'account', { key: identifier, where: connector, by }, 'connected_accounts');
}

/**
 * The account is active if a tool can run without more credentials; otherwise the end user has to authorize
 * it.
 */
export function insertAccount(
  env: Env,
  owned: NewAccount,
  given: Pick<Account, 'authorization_details' | 'api_config'>,
): Account {
  const { connector, identifier, organization_id, user_id } = owned;
  const connection = connectionOf(env, connector);
  const authorization_type = authorizationType(connection);
  const usable = given.authorization_details !== undefined && areUsable(given.authorization_details);
  const now = env.clock.iso();
  return env.connected_accounts.insert({
    id: env.draw.id('ca'),
    connection_id: connection.id,
    identifier,
    authorization_type,
    status: usable || authorization_type === 'NO_AUTH' ? 'ACTIVE' : 'PENDING_AUTH',
    create_time: now,
    updated_at: now,
    ...(organization_id && { organization_id }),
    ...(user_id && { user_id }),
    ...given,
  });
}

export const authorizationType = ({ type }: Rows['connections']) => AUTHORIZATION_TYPES[type] ?? 'CUSTOM';

const AUTHORIZATION_TYPES: Partial<Record<Rows['connections']['type'], Account['authorization_type']>> = {
  OAUTH: 'OAUTH',
  OIDC: 'OAUTH',
  API_KEY: 'API_KEY',
  BASIC: 'BASIC',
  BEARER: 'BEARER_TOKEN',
  OAUTH_M2M: 'OAUTH_M2M',
  TRELLO_OAUTH1: 'TRELLO_OAUTH1',
  GOOGLE_DWD: 'GOOGLE_DWD',
  TRUSTED_IDP: 'TRUSTED_IDP',
  SMART_FHIR: 'SMART_FHIR',
  NO_AUTH: 'NO_AUTH',
};
