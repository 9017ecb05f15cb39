import { cascade, history, yesIf, type Tables } from './table-spec.ts';

export const idpTables = {
  idp_apps: {
    noun: 'application at an identity provider',
    schema: 'IdpAppRow',
    references: { directory_id: cascade('directories') },
  },
  idp_users: {
    noun: 'person at an identity provider',
    schema: 'IdpUserRow',
    indexes: { email: (u) => (u.deleted ? undefined : u.email.toLowerCase()) },
    references: { app_id: cascade('idp_apps') },
  },
  idp_groups: {
    noun: 'group at an identity provider',
    schema: 'IdpGroupRow',
    references: { app_id: cascade('idp_apps'), member_ids: history('idp_users') },
  },
  idp_pushes: {
    noun: 'push of an identity provider',
    schema: 'IdpPushRow',
    history: 'over first',
    indexes: {
      over: (p) => yesIf(p.status === 'DONE' || p.status === 'FAILED'),
      status: (p) => p.status,
    },
    references: { app_id: cascade('idp_apps') },
    deadline: {
      at: (p) => p.next_attempt_at,
      expired: ({ next_attempt_at: _, ...due }) => due,
    },
  },
} satisfies Pick<Tables, 'idp_apps' | 'idp_users' | 'idp_groups' | 'idp_pushes'>;
