import type { Rows } from './table-spec.ts';
import { cascade, forget, type Tables } from './table-spec.ts';

type Directory = Rows['directories'];

export const directoriesTables = {
  directories: {
    noun: 'directory',
    schema: 'DirectoryRow',
    indexes: { organization_id: (d) => d.organization_id },
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
      directory_id: (g) => g.directory_id,
      role_ids: (g) => g.role_ids,
      tracked: (g) => (g.external ? undefined : g.directory_id),
    },
    references: { directory_id: cascade('directories'), role_ids: forget('roles') },
  },
  directory_users: {
    noun: 'directory user',
    schema: 'DirectoryUserRow',
    indexes: {
      directory_id: (u) => u.directory_id,
      group_ids: (u) => u.group_ids,
      member: (u) => u.group_ids.map((group) => `${u.directory_id} ${group}`),
    },
    references: { directory_id: cascade('directories'), group_ids: forget('directory_groups') },
  },
} satisfies Pick<Tables, 'directories' | 'directory_groups' | 'directory_users'>;

/** When the next active secret expires. */
function firstExpiry({ secrets }: Directory): string | undefined {
  const times = secrets.flatMap(({ status, expire_time }) =>
    status === 'ACTIVE' && expire_time ? [expire_time] : [],
  );
  return times.toSorted((a, b) => Date.parse(a) - Date.parse(b))[0];
}
