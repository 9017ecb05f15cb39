import { yesIf, type Tables } from './table-spec.ts';

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
