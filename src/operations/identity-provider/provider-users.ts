import type { Rows } from '../../world/schema.ts';
import type { World } from '../../world/world.ts';

/** More would be a list to search in, and an address is typed faster. */
const MOST = 6;

/** Whom the identity provider of the connection knows; the one who has been named stands first. */
export function usersAt(
  world: World,
  { organization_id }: Rows['connections'],
  named?: string,
): Rows['users'][] {
  const users =
    organization_id === undefined
      ? world.users.list()
      : world.memberships
          .list('organization_id', organization_id)
          .map(({ user_id }) => world.users.get(user_id));
  const first = users.find(({ email }) => email.toLowerCase() === named?.toLowerCase());
  const others = users.filter((user) => user !== first).slice(0, first ? MOST - 1 : MOST);
  return first ? [first, ...others] : others;
}
