import { type Rows, cascade, forget, loose, yesIf, type Tables } from './table-spec.ts';

export const connectedAccountsTables = {
  connected_accounts: {
    noun: 'connected account',
    schema: 'ConnectedAccountRow',
    indexes: {
      identifier: (a) => a.identifier,
      connection_identifier: (a) => `${a.connection_id} ${a.identifier}`,
    },
    references: {
      connection_id: cascade('connections'),
      organization_id: loose('organizations'),
      user_id: loose('users'),
      client_id: forget('clients'),
    },
    deadline: {
      at: (a) => (a.status === 'ACTIVE' && !refreshable(a) ? a.token_expires_at : undefined),
      expired: (a) => ({ ...a, status: 'EXPIRED', updated_at: a.token_expires_at ?? a.updated_at }),
    },
  },
  magic_links: {
    noun: 'magic link',
    schema: 'MagicLinkRow',
    history: 'oldest',
    references: { connected_account_id: cascade('connected_accounts') },
  },
  account_authorizations: {
    noun: 'authorization',
    schema: 'AccountAuthorizationRow',
    history: 'over first',
    indexes: {
      over: (a) => yesIf(a.status !== 'PENDING'),
    },
    references: {
      connected_account_id: cascade('connected_accounts'),
      magic_link_id: cascade('magic_links'),
      auth_request_id: cascade('auth_requests'),
    },
    deadline: {
      at: (a) => (a.status === 'PENDING' ? a.expires_at : undefined),
      expired: (a) => ({ ...a, status: 'EXPIRED' }),
    },
  },
  auth_requests: {
    noun: 'auth request',
    schema: 'AuthRequestRow',
    history: 'over first',
    indexes: { over: (r) => yesIf(r.consumed) },
    references: { connected_account_id: cascade('connected_accounts') },
  },
} satisfies Pick<Tables, 'connected_accounts' | 'magic_links' | 'account_authorizations' | 'auth_requests'>;

/** Whether the service can renew the access token, which it does at the next use. */
export function refreshable(account: Rows['connected_accounts']): boolean {
  return Boolean(account.authorization_details?.oauth_token?.refresh_token);
}
