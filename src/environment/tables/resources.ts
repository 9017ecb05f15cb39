import { cascade, forget, type Tables } from './table-spec.ts';

export const resourcesTables = {
  scopes: { noun: 'scope', schema: 'ScopeRow', indexes: { name: (s) => s.name } },
  resources: {
    noun: 'resource',
    schema: 'ResourceRow',
    indexes: {
      resource_type: (r) => r.resource_type,
      scope_ids: (r) => r.scope_ids,
      connection_id: (r) => r.connection_id,
      resource_uri: (r) => r.resource_uri,
    },
    references: { scope_ids: forget('scopes'), connection_id: forget('connections') },
  },
  consents: {
    noun: 'consent',
    schema: 'ConsentRow',
    indexes: {
      resource_id: (c) => c.resource_id,
      client_id: (c) => c.client_id,
      user_id: (c) => c.user_id,
      giver: (c) => `${c.client_id} ${c.subject}`,
    },
    references: {
      resource_id: cascade('resources'),
      client_id: cascade('clients'),
      user_id: cascade('users'),
    },
  },
} satisfies Pick<Tables, 'scopes' | 'resources' | 'consents'>;
