import { isDeepStrictEqual } from 'node:util';
import type { EventData, EventType } from '../../contract/types.ts';
import type { Rows } from '../../environment/rows/schema.ts';
import type { Happening } from '../event-record.ts';
import type { ChangeOf, Unit } from './unit.ts';

type Account = Rows['connected_accounts'];
type Connection = Rows['connections'];
type TypeOf<T> = T extends `connected_account.${string}` ? T : never;
type AccountEvent = Exclude<TypeOf<EventType>, 'connected_account.status_updated'>;

/** Reference: accounts-connections-events 1.7. What comes from the third party is told by the operations that get it. */
export function accountEvents({ before, after }: ChangeOf<'connected_accounts'>, unit: Unit): Happening[] {
  const account = (after ?? before)!;
  const connection = unit.find('connections', account.connection_id);
  if (!connection) return [];
  if (!before) return [accountHappening('connected_account.created', account, connection)];
  if (after) return changesOf(before, after, connection, unit);
  const isOfCascade =
    unit.removed('organizations', account.organization_id) || isToldAsGone(connection, unit);
  return isOfCascade ? [] : [accountHappening('connected_account.deleted', account, connection)];
}

/** Only connections of an organization have an event of their own. */
const isToldAsGone = ({ id, organization_id }: Connection, unit: Unit) =>
  organization_id !== undefined && unit.removed('connections', id);

export function magicLinkEvents({ before, after }: ChangeOf<'magic_links'>, unit: Unit): Happening[] {
  const account = unit.find('connected_accounts', after?.connected_account_id);
  const connection = unit.find('connections', account?.connection_id);
  if (before || !account || !connection) return [];
  return [accountHappening('connected_account.magic_link_generated', account, connection)];
}

function changesOf(before: Account, after: Account, connection: Connection, unit: Unit): Happening[] {
  const told: Happening[] = [];
  const { status: old_status } = before;
  if (isUpdate(before, after, unit))
    told.push(accountHappening('connected_account.updated', after, connection));
  if (isLapse(before, after))
    told.push(accountHappening('connected_account.token_refresh_failed', before, connection));
  if (after.status === old_status) return told;
  const data = { ...accountData(after, connection), old_status };
  return [...told, { type: 'connected_account.status_updated', data, ...tracesOf(after) }];
}

/**
 * New credentials alone do not show whether somebody changed them or the third party gave them: the operation that changes
 * them tells.
 */
const isUpdate = (before: Account, after: Account, unit: Unit) =>
  !isDeepStrictEqual(settingsOf(before), settingsOf(after)) && !isTold(after, unit);

const isTold = ({ id }: Account, unit: Unit) =>
  unit
    .changed('events')
    .some(({ after }) => after?.type === 'connected_account.updated' && after.connected_account_id === id);

function settingsOf(account: Account) {
  const { identifier, connection_id, organization_id, user_id, client_id, authorization_type, api_config } =
    account;
  return { identifier, connection_id, organization_id, user_id, client_id, authorization_type, api_config };
}

/** Tokens of OAuth expire where they can not be renewed: also for want of a refresh token. */
const isLapse = (before: Account, after: Account) =>
  before.status === 'ACTIVE' && after.status === 'EXPIRED' && before.authorization_type === 'OAUTH';

const tracesOf = ({ id, connection_id }: Account) => ({ connected_account_id: id, connection_id });

/** What happened to an account of that connection. */
export function accountHappening(type: AccountEvent, account: Account, connection: Connection): Happening {
  return { type, data: accountData(account, connection), ...tracesOf(account) };
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
