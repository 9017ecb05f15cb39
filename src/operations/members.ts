import type { Rows } from '../state/env.ts';
import { taken } from './conflicts.ts';
import type { Operations } from './handler.ts';
import { listing } from './lists.ts';

const MOST = 500;

/**
 * The people of the workspace. In the service, the environments of a workspace share them (descriptors of the Python SDK).
 * Here, each environment has its own, because environments are isolated.
 */
export const members = {
  MembersService_ListMembers({ query }, env) {
    const { size } = listing(query, env, MOST);
    const number = Number(query.page_token || 1) || 1;
    const all = env.members.list();
    return {
      next_page_token: number * size < all.length ? String(number + 1) : '',
      total_size: all.length,
      members: all.slice((number - 1) * size, number * size).map(viewMember),
    };
  },

  MembersService_CreateMember({ body }, env) {
    const { email } = body;
    const by = env.members.findBy('email', email.toLowerCase());
    if (by) throw taken(env, 'member', { key: email, by }, 'members');
    const now = env.clock.iso();
    if (body.role === undefined) env.decidedBy('workspace/default-role');
    env.decidedBy('workspace/new-member-is-invited');
    const member = env.members.insert({
      // Unverified (workspace/default-role): the role of a member that is created without one.
      role: 'USER',
      metadata: {},
      ...body,
      id: env.draw.id('mem'),
      // Unverified (workspace/new-member-is-invited): a new member is invited. The simulator has no dashboard where the
      // invitation could be accepted.
      membership_status: 'PENDING_INVITE',
      create_time: now,
      update_time: now,
    });
    return { member: viewMember(member) };
  },
} satisfies Partial<Operations>;

/** Unverified (workspace/organization-of-member): the only organization of a member is the workspace. */
const viewMember = ({ membership_status, ...shown }: Rows['members']) => ({
  ...shown,
  organizations: [
    { ...(shown.workspace_id !== undefined && { organization_id: shown.workspace_id }), membership_status },
  ],
});
