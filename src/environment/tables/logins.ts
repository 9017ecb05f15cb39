import { cascade, history, yesIf, type Tables } from './table-spec.ts';

export const loginsTables = {
  login_requests: {
    noun: 'login request',
    schema: 'LoginRequestRow',
    history: 'over first',
    indexes: {
      over: (r) => yesIf(r.status !== 'PENDING'),
      connection_id: (r) => r.connection_id,
      auth_request_id: (r) => r.auth_request_id,
      state: (r) => r.state,
    },
    references: { connection_id: cascade('connections'), auth_request_id: cascade('auth_logs') },
    deadline: {
      at: (r) => (r.status === 'PENDING' ? r.expires_at : undefined),
      expired: (r) => ({ ...r, status: 'EXPIRED' }),
    },
  },
  auth_logs: {
    noun: 'authentication request',
    schema: 'AuthLogRow',
    history: 'over first',
    indexes: {
      over: (l) => yesIf(l.status === 'SUCCESS' || l.status === 'FAILED'),
      organization_id: (l) => l.organization_id,
      connection_id: (l) => l.connection_id,
      client_id: (l) => l.client_id,
      email: (l) => l.email.toLowerCase(),
      status: (l) => l.status,
      resource_id: (l) => l.resource_id,
      connected_account_identifier: (l) => l.connected_account_identifier,
    },
    references: {
      organization_id: history('organizations'),
      connection_id: history('connections'),
      client_id: history('clients'),
    },
  },
} satisfies Pick<Tables, 'login_requests' | 'auth_logs'>;

export const passwordlessTables = {
  passwordless_requests: {
    noun: 'passwordless request',
    schema: 'PasswordlessRequestRow',
    history: 'over first',
    indexes: {
      over: (r) => yesIf(r.status !== 'PENDING'),
      email: (r) => r.email.toLowerCase(),
      link_token: (r) => r.link_token,
    },
    deadline: {
      at: (r) => (r.status === 'PENDING' ? r.expires_at : undefined),
      expired: (r) => ({ ...r, status: 'EXPIRED' }),
    },
  },
} satisfies Pick<Tables, 'passwordless_requests'>;
