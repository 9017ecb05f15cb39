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

/** What people call the provider of the connection; undefined for one that has no name of its own. */
export const knownProviderName = ({ provider }: Pick<Connection, 'provider'>): string | undefined =>
  NAMES[provider];

/** What people call the identity provider of the connection. */
export const providerName = (connection: Pick<Connection, 'provider'>): string =>
  knownProviderName(connection) ?? 'your identity provider';

/** More would be a list to search in, and an address is typed faster. */
const MOST = 6;

/** Whom the identity provider of the connection knows; the one who has been named stands first. */
export function usersAt(env: Env, { organization_id }: Rows['connections'], named?: string): Rows['users'][] {
  const users =
    organization_id === undefined
      ? env.users.list()
      : env.memberships.list('organization_id', organization_id).map(({ user_id }) => env.users.get(user_id));
  const first = users.find(({ email }) => email.toLowerCase() === named?.toLowerCase());
  const others = users.filter((user) => user !== first).slice(0, first ? MOST - 1 : MOST);
  return first ? [first, ...others] : others;
}
