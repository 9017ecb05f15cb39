import { cascade, type Tables } from './table-spec.ts';

export const domainsTables = {
  domains: {
    noun: 'domain',
    schema: 'DomainRow',
    indexes: {
      organization_id: (d) => d.organization_id,
      domain: (d) => d.domain.toLowerCase(),
      organization_type: (d) => `${d.organization_id} ${d.domain_type}`,
    },
    references: { organization_id: cascade('organizations') },
    deadline: {
      at: (d) => (d.verification_status === 'PENDING' ? d.verify_before : undefined),
      expired: (d) => ({
        ...d,
        verification_status: 'FAILED',
        update_time: d.verify_before ?? d.update_time,
      }),
    },
  },
} satisfies Pick<Tables, 'domains'>;
