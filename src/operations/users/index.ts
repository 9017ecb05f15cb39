import { invitations } from './invitations.ts';
import { memberships } from './memberships.ts';
import { userRoles } from './user-roles.ts';
import { users } from './users.ts';

export const userService = { ...users, ...memberships, ...invitations, ...userRoles };
