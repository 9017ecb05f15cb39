import { cascade, type Tables } from './table-spec.ts';

export const domainsTables = {
  domains: {
    noun: 'domain',
    schema: 'DomainRow',
    indexes: { organization_id: (d) => d.organization_id, domain: (d) => d.domain.toLowerCase() },
    references: { organization_id: cascade('organizations') },
  },
} satisfies Pick<Tables, 'domains'>;
