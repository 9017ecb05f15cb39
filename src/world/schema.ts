import type { components } from '../contract/control.gen.ts';
import type { Indexes, RowBase } from './seed.ts';

type Schemas = components['schemas'];

/** The row type of every collection, as openapi/rows.yaml describes it. */
export interface Rows {
  settings: Schemas['SettingsRow'];
  organizations: Schemas['OrganizationRow'];
  users: Schemas['UserRow'];
  memberships: Schemas['MembershipRow'];
  roles: Schemas['RoleRow'];
  permissions: Schemas['PermissionRow'];
  clients: Schemas['ClientRow'];
  providers: Schemas['ProviderRow'];
  connections: Schemas['ConnectionRow'];
  tools: Schemas['ToolRow'];
  connected_accounts: Schemas['ConnectedAccountRow'];
  magic_links: Schemas['MagicLinkRow'];
  auth_requests: Schemas['AuthRequestRow'];
  portal_links: Schemas['PortalLinkRow'];
  mails: Schemas['MailRow'];
}

export type Collection = keyof Rows;

/** A member that names rows of another table, and what becomes of the row when the named one goes. */
export interface Reference {
  readonly to: Collection;
  readonly onDelete: 'cascade' | 'forget';
  /** Callers choose the value freely: it may name a row that never was. */
  readonly loose?: true;
}

export interface TableSpec<T extends RowBase> {
  readonly noun: string;
  /** Name of the schema in openapi/rows.yaml. */
  readonly schema: keyof Schemas;
  readonly indexes: Indexes<T>;
  /** By member; each is an index too. A list of ids forgets the one that goes. */
  readonly references?: Readonly<Partial<Record<keyof T & string, Reference>>>;
  /** When time alone changes the row, and how it is then. */
  readonly deadline?: { at(row: T): string | undefined; expired(row: T): T };
}

type Tables = { readonly [K in Collection]: TableSpec<Rows[K]> };

const cascade = (to: Collection) => ({ to, onDelete: 'cascade' }) as const;
const loose = (to: Collection) => ({ to, onDelete: 'cascade', loose: true }) as const;
const forget = (to: Collection) => ({ to, onDelete: 'forget' }) as const;

export const TABLES: Tables = {
  settings: { noun: 'settings', schema: 'SettingsRow', indexes: {} },
  organizations: {
    noun: 'organization',
    schema: 'OrganizationRow',
    indexes: { external_id: (o) => o.external_id, slug: (o) => o.slug },
  },
  users: {
    noun: 'user',
    schema: 'UserRow',
    indexes: { email: (u) => u.email.toLowerCase(), external_id: (u) => u.external_id },
  },
  memberships: {
    noun: 'membership',
    schema: 'MembershipRow',
    indexes: {
      organization_id: (m) => m.organization_id,
      user_id: (m) => m.user_id,
      role_ids: (m) => m.role_ids,
      seat: (m) => `${m.organization_id} ${m.user_id}`,
    },
    references: {
      organization_id: cascade('organizations'),
      user_id: cascade('users'),
      role_ids: forget('roles'),
    },
    deadline: {
      at: (m) => (m.membership_status === 'PENDING_INVITE' ? m.expires_at : undefined),
      expired: (m) => ({ ...m, membership_status: 'INVITE_EXPIRED' }),
    },
  },
  roles: {
    noun: 'role',
    schema: 'RoleRow',
    indexes: { organization_id: (r) => r.organization_id, name: (r) => r.name },
    references: { organization_id: cascade('organizations') },
  },
  permissions: { noun: 'permission', schema: 'PermissionRow', indexes: { name: (p) => p.name } },
  clients: {
    noun: 'client',
    schema: 'ClientRow',
    indexes: { organization_id: (c) => c.organization_id },
    references: { organization_id: cascade('organizations') },
  },
  providers: { noun: 'provider', schema: 'ProviderRow', indexes: {} },
  connections: {
    noun: 'connection',
    schema: 'ConnectionRow',
    indexes: { organization_id: (c) => c.organization_id, key_id: (c) => c.key_id },
    references: { organization_id: cascade('organizations') },
  },
  tools: {
    noun: 'tool',
    schema: 'ToolRow',
    indexes: { name: (t) => t.definition.name, provider: (t) => t.provider },
  },
  connected_accounts: {
    noun: 'connected account',
    schema: 'ConnectedAccountRow',
    indexes: {
      connection_id: (a) => a.connection_id,
      identifier: (a) => a.identifier,
      organization_id: (a) => a.organization_id,
      user_id: (a) => a.user_id,
      connection_identifier: (a) => `${a.connection_id} ${a.identifier}`,
    },
    references: {
      connection_id: cascade('connections'),
      organization_id: loose('organizations'),
      user_id: loose('users'),
    },
    deadline: {
      at: (a) => (a.status === 'ACTIVE' && !refreshable(a) ? a.token_expires_at : undefined),
      expired: (a) => ({ ...a, status: 'EXPIRED', updated_at: a.token_expires_at ?? a.updated_at }),
    },
  },
  magic_links: {
    noun: 'magic link',
    schema: 'MagicLinkRow',
    indexes: { connected_account_id: (l) => l.connected_account_id },
    references: { connected_account_id: cascade('connected_accounts') },
  },
  auth_requests: {
    noun: 'auth request',
    schema: 'AuthRequestRow',
    indexes: { connected_account_id: (r) => r.connected_account_id },
    references: { connected_account_id: cascade('connected_accounts') },
  },
  portal_links: {
    noun: 'portal link',
    schema: 'PortalLinkRow',
    indexes: { organization_id: (l) => l.organization_id },
    references: { organization_id: cascade('organizations') },
  },
  mails: { noun: 'mail', schema: 'MailRow', indexes: { to: (m) => m.to } },
};

export const COLLECTIONS = Object.keys(TABLES) as Collection[];

/** With a refresh token the service renews the access token itself, when it is next used. */
export function refreshable(account: Rows['connected_accounts']): boolean {
  return Boolean(account.authorization_details?.oauth_token?.refresh_token);
}
