import type { Env } from '../../environment/env.ts';
import type { Rows } from '../../environment/rows/schema.ts';

type Connection = Rows['connections'];

const NAMES: Partial<Record<Connection['provider'], string>> = {
  OKTA: 'Okta',
  GOOGLE: 'Google',
  MICROSOFT_AD: 'Microsoft Entra ID',
  AUTH0: 'Auth0',
  ONELOGIN: 'OneLogin',
  PING_IDENTITY: 'Ping Identity',
  JUMPCLOUD: 'JumpCloud',
  GITHUB: 'GitHub',
  GITLAB: 'GitLab',
  LINKEDIN: 'LinkedIn',
  SALESFORCE: 'Salesforce',
  MICROSOFT: 'Microsoft',
  IDP_SIMULATOR: 'IdP Simulator',
  ADFS: 'ADFS',
};

/** The provider's display name; undefined if it has none. */
export const knownProviderName = ({ provider }: Pick<Connection, 'provider'>): string | undefined =>
  NAMES[provider];

export const providerName = (connection: Pick<Connection, 'provider'>): string =>
  knownProviderName(connection) ?? 'your identity provider';

/** A longer list would need a search; typing the address is faster. */
const MOST = 6;

/** Users to offer on the provider's page, the named one first. */
export function usersAt(env: Env, { organization_id }: Rows['connections'], named?: string): Rows['users'][] {
  const users =
    organization_id === undefined
      ? env.users.list()
      : env.memberships.list('organization_id', organization_id).map(({ user_id }) => env.users.get(user_id));
  const first = users.find(({ email }) => email.toLowerCase() === named?.toLowerCase());
  const others = users.filter((user) => user !== first).slice(0, first ? MOST - 1 : MOST);
  return first ? [first, ...others] : others;
}
