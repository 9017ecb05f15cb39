import { isObject } from '@understudy/text/json';
import { cascade, forget, type Rows, type Tables } from './table-spec.ts';

export const connectionsTables = {
  connections: {
    noun: 'connection',
    schema: 'ConnectionRow',
    indexes: {
      key_id: (c) => c.key_id,
      provider_key: (c) => c.provider_key,
      scope: scopeOf,
      app_provider: (c) => (scopeOf(c) === 'app' ? c.provider_key : undefined),
    },
    references: { organization_id: cascade('organizations'), domain_ids: forget('domains') },
  },
} satisfies Pick<Tables, 'connections'>;

type Connection = Rows['connections'];
type Scoped = Pick<Connection, 'organization_id' | 'is_login' | 'is_app' | 'type'>;

/**
 * `organization`: for one organization; `app`: for connected accounts; `login`: for signing in to the environment.
 */
export function scopeOf(connection: Scoped): 'organization' | 'app' | 'login' {
  const { organization_id, is_login, is_app, type } = connection;
  if (organization_id !== undefined) return 'organization';
  return (is_app ?? !(is_login ?? LOGIN_TYPES.has(type))) ? 'app' : 'login';
}

const LOGIN_TYPES = new Set<Connection['type']>(['OIDC', 'SAML', 'PASSWORD', 'PASSWORDLESS', 'WEBAUTHN']);

type Directory = Rows['directories'];

export const directoriesTables = {
  directories: {
    noun: 'directory',
    schema: 'DirectoryRow',
    references: { organization_id: cascade('organizations') },
    deadline: {
      at: firstExpiry,
      expired: (directory) => ({
        ...directory,
        secrets: directory.secrets.map((secret) =>
          secret.expire_time === firstExpiry(directory) ? { ...secret, status: 'INACTIVE' } : secret,
        ),
      }),
    },
  },
  directory_groups: {
    noun: 'directory group',
    schema: 'DirectoryGroupRow',
    indexes: {
      tracked: (g) => (g.external ? undefined : g.directory_id),
      display_name: (g) => `${g.directory_id} ${g.display_name.toLowerCase()}`,
    },
    references: { directory_id: cascade('directories'), role_ids: forget('roles') },
  },
  directory_users: {
    noun: 'directory user',
    schema: 'DirectoryUserRow',
    indexes: {
      tracked: (u) => (u.external ? undefined : u.directory_id),
      dp_id: ({ detail, directory_id }) =>
        typeof detail?.['dp_id'] === 'string' ? `${directory_id} ${detail['dp_id']}` : undefined,
      user_name: (u) => `${u.directory_id} ${(u.preferred_username || u.email).toLowerCase()}`,
      address: (u) => addressesOf(u).map((address) => `${u.directory_id} ${address.toLowerCase()}`),
      member: (u) => (u.external ? [] : u.group_ids.map((group) => `${u.directory_id} ${group}`)),
    },
    references: { directory_id: cascade('directories'), group_ids: forget('directory_groups') },
  },
} satisfies Pick<Tables, 'directories' | 'directory_groups' | 'directory_users'>;

/** Every address that SCIM may show: what a provider has pushed counts unless the row was changed without SCIM. */
function addressesOf({ email, emails, detail }: Rows['directory_users']): string[] {
  const raw = membersNamed(detail?.['raw_attributes'], 'emails').flat();
  const pushed = raw.flatMap((value) => membersNamed(value, 'value'));
  return [...new Set([email, ...emails, ...pushed.filter((value) => typeof value === 'string')])];
}

/** SCIM ignores the case of names. */
const membersNamed = (value: unknown, name: string): unknown[] =>
  Object.entries(isObject(value) ? value : {}).flatMap(([key, member]) =>
    key.toLowerCase() === name ? [member] : [],
  );

/** When the next active secret expires. */
function firstExpiry({ secrets }: Directory): string | undefined {
  const times = secrets.flatMap(({ status, expire_time }) =>
    status === 'ACTIVE' && expire_time ? [expire_time] : [],
  );
  return times.toSorted((a, b) => Date.parse(a) - Date.parse(b))[0];
}
