import type { Rows } from '../../world/schema.ts';

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
