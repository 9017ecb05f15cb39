import { cascade, yesIf, type Tables, forget } from './table-spec.ts';

export const clientsTables = {
  clients: {
    noun: 'client',
    schema: 'ClientRow',
    indexes: {
      client_type: (c) => (c.organization_id || c.resource_id ? undefined : [c.client_type ?? 'ENV', 'ALL']),
      metadata_uri: (c) => (c.metadata_uri ? `${c.resource_id} ${c.metadata_uri}` : undefined),
    },
    references: { organization_id: cascade('organizations'), resource_id: cascade('resources') },
  },
} satisfies Pick<Tables, 'clients'>;

export const apiTokensTables = {
  api_tokens: {
    noun: 'token',
    schema: 'ApiTokenRow',
    history: 'over only',
    indexes: {
      over: (t) => yesIf(t.status !== 'ACTIVE'),
      token: (t) => t.token,
      active_in: (t) => (t.status === 'ACTIVE' ? t.organization_id : undefined),
      active_of: (t) =>
        t.status === 'ACTIVE' && t.user_id ? `${t.organization_id} ${t.user_id}` : undefined,
    },
    references: {
      organization_id: cascade('organizations'),
      user_id: cascade('users'),
      membership_id: cascade('memberships'),
    },
    deadline: {
      at: (t) => (t.status === 'ACTIVE' ? t.expiry : undefined),
      expired: (t) => ({ ...t, status: 'EXPIRED' }),
    },
  },
} satisfies Pick<Tables, 'api_tokens'>;

export const resourcesTables = {
  scopes: { noun: 'scope', schema: 'ScopeRow', indexes: { name: (s) => s.name } },
  resources: {
    noun: 'resource',
    schema: 'ResourceRow',
    indexes: {
      resource_type: (r) => r.resource_type,
      resource_uri: (r) => r.resource_uri,
    },
    references: { scope_ids: forget('scopes'), connection_id: forget('connections') },
  },
  consents: {
    noun: 'consent',
    schema: 'ConsentRow',
    indexes: {
      giver: (c) => `${c.client_id} ${c.subject}`,
    },
    references: {
      resource_id: cascade('resources'),
      client_id: cascade('clients'),
      user_id: cascade('users'),
    },
  },
} satisfies Pick<Tables, 'scopes' | 'resources' | 'consents'>;
