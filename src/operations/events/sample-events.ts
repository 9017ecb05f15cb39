import type { EventData, EventType } from '../../contract/types.ts';
import type { NewEvent } from '../../webhooks/event-record.ts';
import { objectOf } from '../../webhooks/events/types.ts';
import { SAMPLES as S } from './sample-data.ts';

type Sample<T extends EventType> = (time: string, environment: string) => EventData<T>;

const deletedOrganization: Sample<'organization.deleted'> = (time) => ({
  ...S.organization(time),
  deleted_at: time,
});

const DATA: { readonly [T in EventType]: Sample<T> } = {
  'organization.created': S.organization,
  'organization.updated': S.organization,
  'organization.deleted': deletedOrganization,
  'organization.domain_created': S.domain,
  'organization.domain_deleted': S.domain,
  'organization.domain_dns_verification_success': (...at) => ({
    ...S.domain(...at),
    verification_status: 'VERIFIED',
  }),
  'organization.domain_dns_verification_failed': (...at) => ({
    ...S.domain(...at),
    verification_status: 'FAILED',
  }),
  'user.signup': S.membership,
  'user.organization_invitation': S.membership,
  'user.organization_membership_created': S.membership,
  'user.organization_membership_updated': S.membership,
  'user.organization_membership_deleted': S.membership,
  'user.login': S.login,
  'user.logout': S.login,
  'organization.directory_enabled': S.directory,
  'organization.directory_disabled': (time) => ({ ...S.directory(time), enabled: false }),
  'organization.directory.user_created': S.directoryUser,
  'organization.directory.user_updated': S.directoryUser,
  'organization.directory.user_deleted': S.goneDirectoryUser,
  'organization.directory.group_created': S.directoryGroup,
  'organization.directory.group_updated': S.directoryGroup,
  'organization.directory.group_deleted': S.goneDirectoryGroup,
  'organization.sso_created': S.connection,
  'organization.sso_deleted': S.connection,
  'organization.sso_enabled': () => ({ ...S.connection(), enabled: true, status: 'COMPLETED' }),
  'organization.sso_disabled': () => ({ ...S.connection(), enabled: false, status: 'COMPLETED' }),
  'role.created': S.role,
  'role.updated': S.role,
  'role.deleted': S.role,
  'permission.created': S.permission,
  'permission.updated': S.permission,
  'permission.deleted': S.permission,
  'connected_account.created': S.connectedAccount,
  'connected_account.updated': S.connectedAccount,
  'connected_account.deleted': S.connectedAccount,
  'connected_account.status_updated': (time) => ({
    ...S.connectedAccount(time),
    old_status: 'PENDING_AUTH',
  }),
  'connected_account.magic_link_generated': S.connectedAccount,
  'connected_account.oauth_succeeded': S.connectedAccount,
  'connected_account.oauth_tokens_fetched': S.connectedAccount,
  'connected_account.token_refresh_succeeded': S.connectedAccount,
  'connected_account.token_refresh_failed': S.connectedAccount,
};

/** These objects belong to the environment and not to an organization. */
const OF_NOBODY = new Set(['Role', 'Permission', 'ConnectedAccount']);

/** An event with made-up data. */
export function sampleEvent(type: EventType, time: string, environment: string): NewEvent {
  const organization = OF_NOBODY.has(objectOf(type)) ? {} : { organization_id: 'org_10000000000000001' };
  // The table above pairs each type with its data, which the compiler cannot see.
  return { type, data: DATA[type](time, environment), ...organization } as NewEvent;
}
