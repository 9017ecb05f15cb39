import { cascade, forget, history, loose, yesIf, type Rows, type Tables } from './table-spec.ts';

export const signInsTables = {
  login_transactions: {
    noun: 'sign-in',
    schema: 'LoginTransactionRow',
    history: 'over first',
    indexes: {
      over: (t) => yesIf(t.status !== 'PENDING'),
      browser_secret: (t) => t.browser_secret,
      error_id: (t) => t.failure?.id,
      passwordless_request_id: (t) => t.passwordless_request_id,
      asks_consent: (t) => (t.status === 'PENDING' && t.resource_id ? t.browser_secret : undefined),
    },
    references: {
      client_id: cascade('clients'),
      user_id: cascade('users'),
      organization_id: forget('organizations'),
      branded_organization_id: forget('organizations'),
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
    },
    references: {
      client_id: cascade('clients'),
      user_id: cascade('users'),
      session_id: cascade('sessions'),
      organization_id: loose('organizations'),
      resource_id: cascade('resources'),
      auth_request_id: forget('auth_logs'),
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
    history: 'oldest',
    references: { client_id: cascade('clients') },
  },
  portal_sessions: {
    noun: 'portal session',
    schema: 'PortalSessionRow',
    history: 'oldest',
    indexes: { token: (s) => s.token },
    references: { organization_id: cascade('organizations') },
  },
} satisfies Pick<
  Tables,
  'login_transactions' | 'authorization_codes' | 'refresh_tokens' | 'revoked_tokens' | 'portal_sessions'
>;

export const loginsTables = {
  login_requests: {
    noun: 'login request',
    schema: 'LoginRequestRow',
    history: 'over first',
    indexes: {
      over: (r) => yesIf(r.status !== 'PENDING'),
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

export const sessionsTables = {
  sessions: {
    noun: 'session',
    schema: 'SessionRow',
    history: 'over only',
    indexes: {
      over: (s) => yesIf(s.status !== 'active'),
      cookie: (s) => s.cookie,
      saml_logout: (s) => s.saml_logout?.request_id,
      saml_name: (s) =>
        s.status === 'active'
          ? (s.saml_names ?? []).map(({ connection_id, name_id }) => `${connection_id} ${name_id}`)
          : [],
    },
    references: {
      user_id: cascade('users'),
      authenticated_organizations: forget('organizations'),
      organization_id: forget('organizations'),
      client_ids: { ...forget('clients'), loose: true },
    },
    deadline: {
      at: (s) => (s.status === 'active' ? endOf(s) : undefined),
      expired: (s) => ({ ...s, status: 'expired', expired_at: endOf(s), updated_at: endOf(s) }),
    },
  },
  passkeys: {
    noun: 'passkey',
    schema: 'PasskeyRow',
    indexes: { credential_id: (p) => plainBase64(p.credential_id) },
    references: { user_id: cascade('users') },
  },
  passkey_ceremonies: {
    noun: 'passkey ceremony',
    schema: 'PasskeyCeremonyRow',
    history: 'over first',
    indexes: {
      over: (c) => yesIf(c.status !== 'PENDING'),
      challenge: (c) => c.challenge,
    },
    references: { user_id: cascade('users') },
    deadline: {
      at: (c) => (c.status === 'PENDING' ? c.expires_at : undefined),
      expired: (c) => ({ ...c, status: 'EXPIRED' }),
    },
  },
  authenticator_keys: {
    noun: 'passkey of the software authenticator',
    schema: 'AuthenticatorKeyRow',
    indexes: { credential_id: (p) => plainBase64(p.credential_id) },
    references: { user_id: cascade('users') },
  },
  totp_registrations: {
    noun: 'TOTP registration',
    schema: 'TotpRegistrationRow',
    indexes: { account_name: (r) => r.account_name },
    references: { user_id: cascade('users') },
  },
} satisfies Pick<
  Tables,
  'sessions' | 'passkeys' | 'passkey_ceremonies' | 'authenticator_keys' | 'totp_registrations'
>;

/** Rows may lack the padding. */
const plainBase64 = (text: string) => Buffer.from(text, 'base64').toString('base64');

/** A session ends when it was idle for too long or reaches its maximum age. */
function endOf({ idle_expires_at, absolute_expires_at }: Rows['sessions']): string {
  return Date.parse(idle_expires_at) < Date.parse(absolute_expires_at)
    ? idle_expires_at
    : absolute_expires_at;
}
