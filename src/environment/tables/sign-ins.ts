import { cascade, forget, loose, yesIf, type Tables } from './table-spec.ts';

export const signInsTables = {
  login_transactions: {
    noun: 'sign-in',
    schema: 'LoginTransactionRow',
    history: 'over first',
    indexes: {
      over: (t) => yesIf(t.status !== 'PENDING'),
      client_id: (t) => t.client_id,
      user_id: (t) => t.user_id,
      organization_id: (t) => t.organization_id,
      passwordless_request_id: (t) => t.passwordless_request_id,
      connection_id: (t) => t.connection_id,
      resource_id: (t) => t.resource_id,
      asks_consent: (t) => (t.status === 'PENDING' && t.resource_id ? t.browser_secret : undefined),
    },
    references: {
      client_id: cascade('clients'),
      user_id: cascade('users'),
      organization_id: forget('organizations'),
      connection_id: forget('connections'),
      resource_id: cascade('resources'),
    },
    deadline: {
      at: (t) => (t.status === 'PENDING' ? t.expires_at : undefined),
      expired: (t) => ({ ...t, status: 'EXPIRED' }),
    },
  },
  authorization_codes: {
    noun: 'authorization code',
    schema: 'AuthorizationCodeRow',
    history: 'over first',
    indexes: {
      over: (c) => yesIf(c.used_at !== undefined),
      code: (c) => c.code,
      resource_id: (c) => c.resource_id,
      client_id: (c) => c.client_id,
      user_id: (c) => c.user_id,
      session_id: (c) => c.session_id,
      organization_id: (c) => c.organization_id,
    },
    references: {
      client_id: cascade('clients'),
      user_id: cascade('users'),
      session_id: cascade('sessions'),
      organization_id: loose('organizations'),
      resource_id: cascade('resources'),
    },
  },
  refresh_tokens: {
    noun: 'refresh token',
    schema: 'RefreshTokenRow',
    history: 'over only',
    indexes: {
      over: (t) => yesIf(t.used_at !== undefined || t.revoked_at !== undefined),
      token: (t) => t.token,
      family_id: (t) => t.family_id,
      resource_id: (t) => t.resource_id,
      client_id: (t) => t.client_id,
      user_id: (t) => t.user_id,
      session_id: (t) => t.session_id,
      organization_id: (t) => t.organization_id,
    },
    references: {
      client_id: cascade('clients'),
      user_id: cascade('users'),
      session_id: cascade('sessions'),
      organization_id: loose('organizations'),
      resource_id: cascade('resources'),
    },
  },
  revoked_tokens: {
    noun: 'revoked token',
    schema: 'RevokedTokenRow',
    indexes: { client_id: (t) => t.client_id },
    references: { client_id: cascade('clients') },
  },
  portal_sessions: {
    noun: 'portal session',
    schema: 'PortalSessionRow',
    history: 'oldest',
    indexes: { token: (s) => s.token, organization_id: (s) => s.organization_id },
    references: { organization_id: cascade('organizations') },
  },
} satisfies Pick<
  Tables,
  'login_transactions' | 'authorization_codes' | 'refresh_tokens' | 'revoked_tokens' | 'portal_sessions'
>;
