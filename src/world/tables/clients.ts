import { cascade, type Tables } from './table-spec.ts';

export const clientsTables = {
  clients: {
    noun: 'client',
    schema: 'ClientRow',
    indexes: {
      organization_id: (c) => c.organization_id,
      client_type: (c) => (c.organization_id ? undefined : [c.client_type ?? 'ENV', 'ALL']),
    },
    references: { organization_id: cascade('organizations') },
  },
} satisfies Pick<Tables, 'clients'>;
