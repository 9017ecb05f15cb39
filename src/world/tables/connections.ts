import { cascade, type Tables } from './table-spec.ts';

export const connectionsTables = {
  connections: {
    noun: 'connection',
    schema: 'ConnectionRow',
    indexes: {
      organization_id: (c) => c.organization_id,
      key_id: (c) => c.key_id,
      provider_key: (c) => c.provider_key,
    },
    references: { organization_id: cascade('organizations') },
  },
} satisfies Pick<Tables, 'connections'>;
