import type { EventObject, EventType } from '../../contract/types.ts';
import type { Rows } from '../../environment/rows/schema.ts';

/** Every event type of the vendor's OpenAPI document and the kind of object that its data describes. */
const OBJECTS: Record<EventType, EventObject> = {
  'organization.created': 'Organization',
  'organization.updated': 'Organization',
  'organization.deleted': 'Organization',
  'organization.domain_created': 'Organization',
  'organization.domain_deleted': 'Organization',
  'organization.domain_dns_verification_success': 'Organization',
  'organization.domain_dns_verification_failed': 'Organization',
  'user.signup': 'OrgMembership',
  'user.organization_invitation': 'OrgMembership',
  'user.organization_membership_created': 'OrgMembership',
  'user.organization_membership_updated': 'OrgMembership',
  'user.organization_membership_deleted': 'OrgMembership',
  'user.login': 'User',
  'user.logout': 'User',
  'organization.directory_enabled': 'Directory',
  'organization.directory_disabled': 'Directory',
  'organization.directory.user_created': 'DirectoryUser',
  'organization.directory.user_updated': 'DirectoryUser',
  'organization.directory.user_deleted': 'DirectoryUser',
  'organization.directory.group_created': 'DirectoryGroup',
  'organization.directory.group_updated': 'DirectoryGroup',
  'organization.directory.group_deleted': 'DirectoryGroup',
  'organization.sso_created': 'Connection',
  'organization.sso_deleted': 'Connection',
  'organization.sso_enabled': 'Connection',
  'organization.sso_disabled': 'Connection',
  'role.created': 'Role',
  'role.updated': 'Role',
  'role.deleted': 'Role',
  'permission.created': 'Permission',
  'permission.updated': 'Permission',
  'permission.deleted': 'Permission',
  'connected_account.created': 'ConnectedAccount',
  'connected_account.updated': 'ConnectedAccount',
  'connected_account.deleted': 'ConnectedAccount',
  'connected_account.status_updated': 'ConnectedAccount',
  'connected_account.magic_link_generated': 'ConnectedAccount',
  'connected_account.oauth_succeeded': 'ConnectedAccount',
  'connected_account.oauth_tokens_fetched': 'ConnectedAccount',
  'connected_account.token_refresh_succeeded': 'ConnectedAccount',
  'connected_account.token_refresh_failed': 'ConnectedAccount',
};

export const EVENT_TYPES = Object.keys(OBJECTS) as EventType[];

export const isEventType = (type: string): type is EventType => Object.hasOwn(OBJECTS, type);

export const objectOf = (type: EventType): EventObject => OBJECTS[type];

const TITLES = new Map(EVENT_TYPES.map((type) => [type, wordsOf(type)]));

/** `organization.domain_created` is titled `Organization Domain Created`. */
export const titleOf = (type: EventType): string => TITLES.get(type)!;

function wordsOf(type: string): string {
  return type.replace(/(^|[._])([a-z])/g, (_, gap, first) => `${gap && ' '}${first.toUpperCase()}`);
}

/** `user.*` matches every type that starts with `user.`; an endpoint without a filter receives every type. */
export const listensTo = ({ enabled, event_types }: Rows['webhook_endpoints'], type: string): boolean =>
  enabled && (event_types === undefined || event_types.some((each) => covers(each, type)));

export const covers = (pattern: string, type: string) =>
  pattern.endsWith('*') ? type.startsWith(pattern.slice(0, -1)) : pattern === type;
