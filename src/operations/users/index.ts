import { invitations } from './invitations.ts';
import { memberships } from './memberships.ts';
import { userLists } from './user-lists.ts';
import { userRoles } from './user-roles.ts';
import { users } from './users.ts';

export const userService = { ...users, ...userLists, ...memberships, ...invitations, ...userRoles };
