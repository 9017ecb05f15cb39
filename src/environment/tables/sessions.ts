import type { Rows } from './table-spec.ts';
import { cascade, forget, yesIf, type Tables } from './table-spec.ts';

export const sessionsTables = {
  sessions: {
    noun: 'session',
    schema: 'SessionRow',
    history: 'over only',
    indexes: {
      over: (s) => yesIf(s.status !== 'active'),
      user_id: (s) => s.user_id,
      authenticated_organizations: (s) => s.authenticated_organizations,
      organization_id: (s) => s.organization_id,
      client_ids: (s) => s.client_ids,
      cookie: (s) => s.cookie,
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
    indexes: { user_id: (p) => p.user_id },
    references: { user_id: cascade('users') },
  },
} satisfies Pick<Tables, 'sessions' | 'passkeys'>;

/** A session ends when it was idle for too long or reaches its maximum age. */
function endOf({ idle_expires_at, absolute_expires_at }: Rows['sessions']): string {
  return Date.parse(idle_expires_at) < Date.parse(absolute_expires_at)
    ? idle_expires_at
    : absolute_expires_at;
}
