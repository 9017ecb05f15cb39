import { cascade, forget, type Tables } from './table-spec.ts';

export const organizationsTables = {
  organizations: {
    noun: 'organization',
    schema: 'OrganizationRow',
    indexes: {
      external_id: (o) => o.external_id,
      slug: (o) => o.slug,
      default_member_role_id: (o) => o.default_member_role_id,
    },
    references: { default_member_role_id: forget('roles') },
  },
  portal_links: {
    noun: 'portal link',
    schema: 'PortalLinkRow',
    history: 'oldest',
    indexes: { token: (l) => l.token, organization_id: (l) => l.organization_id },
    references: { organization_id: cascade('organizations') },
  },
} satisfies Pick<Tables, 'organizations' | 'portal_links'>;
