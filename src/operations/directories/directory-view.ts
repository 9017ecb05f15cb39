import type { Rows } from '../../environment/rows/schema.ts';
import type { Env } from '../../environment/env.ts';
import { rolesGiven } from './role-assignment.ts';

type Directory = Rows['directories'];

/** The service's value for a time that is not set. */
const NEVER = '0001-01-01T00:00:00Z';

export function viewDirectory(env: Env, directory: Directory) {
  const { create_time: _, secrets, ...shown } = directory;
  const stats = statsOf(env, directory.id);
  const assignments = rolesGiven(env, directory.id);
  return {
    directory_provider: 'DIRECTORY_PROVIDER_UNSPECIFIED' as const,
    email: '',
    groups_tracked: '',
    ...shown,
    directory_endpoint: `${env.baseUrl}/directory/${directory.id}/scim/v2`,
    total_users: stats.total_users,
    total_groups: stats.total_groups,
    secrets: secrets.map((secret) => viewSecret(directory, secret)),
    stats,
    ...(assignments.length > 0 && { role_assignments: { assignments } }),
  };
}

export const viewSecret = ({ id }: Directory, secret: Directory['secrets'][number]) => ({
  expire_time: NEVER,
  last_used_time: NEVER,
  ...secret,
  directory_id: id,
});

function statsOf(env: Env, id: string) {
  const groups = env.directory_groups.list('tracked', id);
  const users = env.directory_users.list('directory_id', id);
  const [group_updated_at, user_updated_at] = [latest(groups), latest(users)];
  return {
    total_users: users.length,
    total_groups: groups.length,
    ...(group_updated_at && { group_updated_at }),
    ...(user_updated_at && { user_updated_at }),
  };
}

function latest(rows: readonly { updated_at: string }[]): string | undefined {
  let found: string | undefined;
  for (const { updated_at } of rows)
    if (found === undefined || Date.parse(updated_at) > Date.parse(found)) found = updated_at;
  return found;
}
