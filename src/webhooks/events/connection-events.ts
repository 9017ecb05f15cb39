import { isDeepStrictEqual } from 'node:util';
import type { EventData, EventType } from '../../contract/types.ts';
import type { Rows } from '../../state/env.ts';
import type { NewEvent, ChangeOf, UnitChanges } from './event.ts';

/** Only connections of an organization have events. */
export function connectionEvents({ before, after }: ChangeOf<'connections'>, unit: UnitChanges): NewEvent[] {
  const { id, organization_id } = (after ?? before)!;
  if (!organization_id || unit.removed('organizations', organization_id)) return [];
  const about = { organization_id, connection_id: id };
  if (!after) {
    const data = connectionData(before!, organization_id);
    return [{ type: 'organization.sso_deleted', ...about, data }];
  }
  const { enabled, status } = after;
  const data = connectionData(after, organization_id);
  const happenings: NewEvent[] = [];
  if (!before) happenings.push({ type: 'organization.sso_created', ...about, data });
  if (enabled !== (before?.enabled ?? false)) {
    const type = `organization.sso_${enabled ? 'enabled' : 'disabled'}` as const;
    happenings.push({ type, ...about, data: { ...data, enabled, status } });
  }
  return happenings;
}

const connectionData = ({ id, type, provider }: Rows['connections'], organization_id: string) => ({
  id,
  organization_id,
  connection_type: type,
  provider,
});

type Account = Rows['connected_accounts'];
type Connection = Rows['connections'];
type TypeOf<T> = T extends `connected_account.${string}` ? T : never;
type AccountEvent = Exclude<TypeOf<EventType>, 'connected_account.status_updated'>;

/** Operations that talk to the third party record the events about tokens themselves. */
export function accountEvents(
  { before, after }: ChangeOf<'connected_accounts'>,
  unit: UnitChanges,
): NewEvent[] {
  const account = (after ?? before)!;
  const connection = unit.find('connections', account.connection_id);
  if (!connection) return [];
  if (!before) return [accountEvent('connected_account.created', account, connection)];
  if (after) return changesOf(before, after, connection, unit);
  const isOfCascade =
    unit.removed('organizations', account.organization_id) || hasDeletionEvent(connection, unit);
  return isOfCascade ? [] : [accountEvent('connected_account.deleted', account, connection)];
}

/** Connections of the environment have no deletion event. */
const hasDeletionEvent = ({ id, organization_id }: Connection, unit: UnitChanges) =>
  organization_id !== undefined && unit.removed('connections', id);

export function magicLinkEvents({ before, after }: ChangeOf<'magic_links'>, unit: UnitChanges): NewEvent[] {
  const account = unit.find('connected_accounts', after?.connected_account_id);
  const connection = unit.find('connections', account?.connection_id);
  if (before || !account || !connection) return [];
  return [accountEvent('connected_account.magic_link_generated', account, connection)];
}

function changesOf(before: Account, after: Account, connection: Connection, unit: UnitChanges): NewEvent[] {
  const events: NewEvent[] = [];
  const { status: old_status } = before;
  if (isUpdate(before, after, unit))
    events.push(accountEvent('connected_account.updated', after, connection));
  if (isFailedRefresh(before, after))
    events.push(accountEvent('connected_account.token_refresh_failed', before, connection));
  if (after.status === old_status) return events;
  const data = { ...accountData(after, connection), old_status };
  return [...events, { type: 'connected_account.status_updated', data, ...referencesOf(after) }];
}

/** The row does not show who changed credentials. The operation that changes them records the event itself. */
const isUpdate = (before: Account, after: Account, unit: UnitChanges) =>
  !isDeepStrictEqual(settingsOf(before), settingsOf(after)) && !isAlreadyRecorded(after, unit);

const isAlreadyRecorded = ({ id }: Account, unit: UnitChanges) =>
  unit
    .changed('events')
    .some(({ after }) => after?.type === 'connected_account.updated' && after.connected_account_id === id);

function settingsOf(account: Account) {
  const { identifier, connection_id, organization_id, user_id, client_id, authorization_type, api_config } =
    account;
  return { identifier, connection_id, organization_id, user_id, client_id, authorization_type, api_config };
}

/** OAuth tokens expire when they cannot be refreshed, for example without a refresh token. */
const isFailedRefresh = (before: Account, after: Account) =>
  before.status === 'ACTIVE' && after.status === 'EXPIRED' && before.authorization_type === 'OAUTH';

const referencesOf = ({ id, connection_id }: Account) => ({ connected_account_id: id, connection_id });

export function accountEvent(type: AccountEvent, account: Account, connection: Connection): NewEvent {
  return { type, data: accountData(account, connection), ...referencesOf(account) };
}

function accountData(
  account: Account,
  { key_id, provider_key }: Connection,
): EventData<'connected_account.created'> {
  const { id, identifier, connection_id, authorization_type, status } = account;
  const { token_expires_at, last_used_at } = account;
  return {
    id,
    identifier,
    connection_id,
    ...(key_id && { connection_name: key_id }),
    provider: provider_key,
    authorization_type,
    status,
    ...(token_expires_at && { token_expires_at }),
    ...(last_used_at && { last_used_at }),
  };
}
