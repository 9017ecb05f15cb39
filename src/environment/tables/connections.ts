import type { Rows } from './table-spec.ts';
import { cascade, forget, type Tables } from './table-spec.ts';

export const connectionsTables = {
  connections: {
    noun: 'connection',
    schema: 'ConnectionRow',
    indexes: {
      organization_id: (c) => c.organization_id,
      key_id: (c) => c.key_id,
      provider_key: (c) => c.provider_key,
      domain_ids: (c) => c.domain_ids,
      custom_login: (c) => (c.custom_login_uri ? 'yes' : undefined),
      scope: scopeOf,
      app_provider: (c) => (scopeOf(c) === 'app' ? c.provider_key : undefined),
    },
    references: { organization_id: cascade('organizations'), domain_ids: forget('domains') },
  },
} satisfies Pick<Tables, 'connections'>;

type Connection = Rows['connections'];
type Scoped = Pick<Connection, 'organization_id' | 'is_login' | 'is_app' | 'type'>;

/**
 * `organization`: for one organization; `app`: for connected accounts; `login`: for signing in to the environment.
 */
export function scopeOf(connection: Scoped): 'organization' | 'app' | 'login' {
  const { organization_id, is_login, is_app, type } = connection;
  if (organization_id !== undefined) return 'organization';
  return (is_app ?? !(is_login ?? LOGIN_TYPES.has(type))) ? 'app' : 'login';
}

const LOGIN_TYPES = new Set<Connection['type']>(['OIDC', 'SAML', 'PASSWORD', 'PASSWORDLESS', 'WEBAUTHN']);
