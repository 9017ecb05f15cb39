import { cascade, forget, type Rows, type Tables } from './table-spec.ts';

export const organizationsTables = {
  organizations: {
    noun: 'organization',
    schema: 'OrganizationRow',
    indexes: {
      external_id: (o) => o.external_id,
      slug: (o) => o.slug,
    },
    references: { default_member_role_id: forget('roles') },
  },
  portal_links: {
    noun: 'portal link',
    schema: 'PortalLinkRow',
    history: 'oldest',
    indexes: { token: (l) => l.token },
    references: { organization_id: cascade('organizations') },
  },
} satisfies Pick<Tables, 'organizations' | 'portal_links'>;

export const domainsTables = {
  domains: {
    noun: 'domain',
    schema: 'DomainRow',
    indexes: {
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

export const environmentTables = {
  settings: { noun: 'settings', schema: 'SettingsRow' },
  signing_keys: { noun: 'signing key', schema: 'SigningKeyRow' },
  mails: { noun: 'mail', schema: 'MailRow', history: 'oldest', indexes: { to: (m) => m.to } },
} satisfies Pick<Tables, 'settings' | 'signing_keys' | 'mails'>;

/**
 * All spellings of each feature. Unverified (organizations/feature-names): `scim` is a spelling of dir_sync, because
 * the vendor's guide sends it.
 */
export const FEATURE_SPELLINGS = {
  sso: ['sso'],
  dir_sync: ['dir_sync', 'directory_sync', 'scim'],
} as const;

type SharedFeature = keyof typeof FEATURE_SPELLINGS;

/** Undefined if nobody has set the feature. */
export const featureOf = ({ settings }: Rows['organizations'], name: SharedFeature): boolean | undefined =>
  settings?.features.find((each) => (FEATURE_SPELLINGS[name] as readonly string[]).includes(each.name))
    ?.enabled;

export const SHARED_FEATURES = Object.keys(FEATURE_SPELLINGS) as SharedFeature[];
