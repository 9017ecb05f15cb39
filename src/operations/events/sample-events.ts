import type { Rows } from '../../world/schema.ts';
import { SAMPLES, type SampleData } from './sample-data.ts';

type EventObject = Rows['events']['object'];
type Kind = keyof typeof SAMPLES;

/** Every type that the service knows, by what it is about (reference: accounts-connections-events 5.2). */
const TYPES: readonly [object: EventObject, kind: Kind, prefix: string, verbs: string][] = [
  ['Organization', 'organization', 'organization.', 'created updated deleted'],
  ['Organization', 'domain', 'organization.domain_', 'created deleted'],
  ['Organization', 'domain', 'organization.domain_dns_verification_', 'success failed'],
  ['OrgMembership', 'membership', 'user.', 'signup organization_invitation'],
  ['OrgMembership', 'membership', 'user.organization_membership_', 'created updated deleted'],
  ['User', 'login', 'user.', 'login logout'],
  ['Directory', 'directory', 'organization.directory_', 'enabled disabled'],
  ['DirectoryUser', 'directoryUser', 'organization.directory.user_', 'created updated'],
  ['DirectoryUser', 'goneDirectoryUser', 'organization.directory.user_', 'deleted'],
  ['DirectoryGroup', 'directoryGroup', 'organization.directory.group_', 'created updated'],
  ['DirectoryGroup', 'goneDirectoryGroup', 'organization.directory.group_', 'deleted'],
  ['Connection', 'connection', 'organization.sso_', 'created deleted enabled disabled'],
  ['Role', 'role', 'role.', 'created updated deleted'],
  ['Permission', 'permission', 'permission.', 'created updated deleted'],
  ['ConnectedAccount', 'connectedAccount', 'connected_account.', 'created updated deleted status_updated'],
  ['ConnectedAccount', 'connectedAccount', 'connected_account.', 'magic_link_generated oauth_succeeded'],
  ['ConnectedAccount', 'connectedAccount', 'connected_account.', 'oauth_tokens_fetched'],
  ['ConnectedAccount', 'connectedAccount', 'connected_account.token_refresh_', 'succeeded failed'],
];

/** What only events of this type have in their data. */
const OWN: Readonly<Record<string, (time: string) => SampleData>> = {
  'organization.deleted': (time) => ({ deleted_at: time }),
  'organization.domain_dns_verification_success': () => ({ verification_status: 'VERIFIED' }),
  'organization.domain_dns_verification_failed': () => ({ verification_status: 'FAILED' }),
  'organization.directory_disabled': () => ({ enabled: false }),
  'organization.sso_enabled': () => ({ enabled: true, status: 'COMPLETED' }),
  'organization.sso_disabled': () => ({ enabled: false, status: 'COMPLETED' }),
  'connected_account.status_updated': () => ({ old_status: 'PENDING_AUTH' }),
};

/** These are of the environment, not of an organization. */
const OF_NOBODY = /^(role|permission|connected_account)\./;

const OBJECTS = new Map(
  TYPES.flatMap(([object, kind, prefix, verbs]) =>
    verbs.split(' ').map((verb) => [`${prefix}${verb}`, { object, kind }] as const),
  ),
);

/** Made-up data of an event of that type; undefined for a type that nobody knows. */
export function sampleEvent(type: string, time: string, environment: string) {
  const known = OBJECTS.get(type);
  if (!known) return undefined;
  const data = { ...SAMPLES[known.kind](time, environment), ...OWN[type]?.(time) };
  const organization = OF_NOBODY.test(type) ? {} : { organization_id: 'org_10000000000000001' };
  return { object: known.object, data, display_name: titleOf(type), ...organization };
}

/** `organization.domain_created` is titled `Organization Domain Created`. */
export const titleOf = (type: string) =>
  type.replace(/(^|[._])([a-z])/g, (_, gap, first) => `${gap && ' '}${first.toUpperCase()}`);
