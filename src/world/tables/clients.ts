import { cascade, type Tables } from './table-spec.ts';

export const clientsTables = {
  clients: {
    noun: 'client',
    schema: 'ClientRow',
    indexes: { organization_id: (c) => c.organization_id },
    references: { organization_id: cascade('organizations') },
  },
} satisfies Pick<Tables, 'clients'>;
