import { page, type Page } from '../../world/page.ts';
import type { Rows } from '../../world/schema.ts';
import type { World } from '../../world/world.ts';
import type { Operations } from '../handler.ts';
import { mentions } from '../mentions.ts';
import { pageSize, searchPageSize } from '../page-size.ts';
import { viewUser } from './user-view.ts';

type User = Rows['users'];

export const userLists = {
  UserService_ListUsers({ query }, world) {
    return viewPage(world, page(world.users, listing(query, world)));
  },

  UserService_SearchUsers({ query }, world) {
    const where = (user: User) => isFound(user, query.query);
    return viewPage(world, page(world.users, { ...searching(query, world), where }));
  },

  UserService_ListOrganizationUsers({ path, query }, world) {
    const { id } = world.organizations.get(path.organization_id);
    return viewMembers(
      world,
      page(world.memberships, { ...listing(query, world), by: ['organization_id', id] }),
    );
  },

  UserService_SearchOrganizationUsers({ path, query }, world) {
    const { id } = world.organizations.get(path.organization_id);
    const where = ({ user_id }: Rows['memberships']) => isFound(world.users.get(user_id), query.query);
    return viewMembers(
      world,
      page(world.memberships, { ...searching(query, world), by: ['organization_id', id], where }),
    );
  },
} satisfies Partial<Operations>;

interface Query {
  page_size?: number;
  page_token?: string;
}

const listing = ({ page_size, page_token: token }: Query, world: World) => ({
  size: pageSize(page_size, world),
  token,
});

const searching = ({ page_size, page_token: token }: Query, world: World) => ({
  size: searchPageSize(page_size, world),
  token,
});

/** By e-mail, id or external id; names of people are not searched (reference: tenancy-and-errors 3.7). */
const isFound = ({ email, id, external_id }: User, text: string) => mentions(text, [email, id, external_id]);

const viewPage = (world: World, { rows, ...rest }: Page<User>) => ({
  ...rest,
  users: rows.map((user) => viewUser(world, user)),
});

const viewMembers = (world: World, { rows, ...rest }: Page<Rows['memberships']>) =>
  viewPage(world, { ...rest, rows: rows.map(({ user_id }) => world.users.get(user_id)) });
