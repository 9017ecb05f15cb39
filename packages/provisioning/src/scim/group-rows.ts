import type { Rows } from '@understudy/core/state/env';
import type { Resource } from '@understudy/scim/attributes';
import { GROUP, USER } from '@understudy/scim/schemas';
import { complete, refuseLarge } from '@understudy/scim/values';
import { onceForEach } from '@understudy/core/operations/lists';
import { locationOf, withFacts, withMeta } from './answers.ts';
import { waitingMembers } from './group-members.ts';
import type { Pushing } from './pushing.ts';
import { refusal } from './refusals.ts';
import { textIn } from './user-rows.ts';

type Group = Rows['directory_groups'];

const LONGEST_NAME = 256;

/** What a provider decides about a group. `waiting`: members that the directory does not know. */
export function groupColumns(resource: Resource, waiting: readonly string[], before?: Group) {
  refuseLarge(resource);
  const { members: _, ...raw_attributes } = resource;
  const display_name = String(resource['displayName']);
  if (display_name.length > LONGEST_NAME)
    throw refusal(
      'invalidValue',
      `displayName: ${display_name.length} characters; there may be at most ${LONGEST_NAME}`,
    );
  const { external_id: __, waiting_members: ___, ...kept } = before?.detail ?? {};
  const { externalId: external_id } = resource;
  return {
    display_name,
    detail: {
      ...kept,
      ...(external_id !== undefined && { external_id }),
      ...(waiting.length > 0 && { waiting_members: waiting }),
      raw_attributes,
    },
  };
}

export const memberIds = (resource: Resource): string[] =>
  ((resource['members'] ?? []) as Resource[]).flatMap(({ value }) =>
    typeof value === 'string' ? value : [],
  );

/** What a provider may change. */
export function groupAttributes(push: Pushing, group: Group): Resource {
  const members = membersOf(push, group);
  return { ...namesOf(group), ...(members.length > 0 && { members }) };
}

/** The attributes without the members. */
function namesOf({ display_name, detail = {} }: Group): Resource {
  const externalId = textIn(detail, 'external_id');
  return complete(GROUP, { ...(externalId !== undefined && { externalId }), displayName: display_name });
}

export const memberCount = ({ env }: Pushing, group: Group): number =>
  env.directory_users.count('group_ids', group.id) + waitingMembers(group).length;

function membersOf({ env, base }: Pushing, group: Group): Resource[] {
  const users = env.directory_users.list('group_ids', group.id).map((user) => ({
    value: user.id,
    $ref: locationOf({ base }, USER, user.id),
    type: 'User',
  }));
  return [...users, ...waitingMembers(group).map((value) => ({ value }))];
}

/** The group as SCIM shows it, with id and `meta`. */
export function groupResource(push: Pushing, group: Group): Resource {
  return withMeta(push, GROUP, factsOf(group), groupAttributes(push, group));
}

/** For filters. They read no version, and most of them no members. */
export const groupForFilter = (push: Pushing, group: Group, isWithMembers: boolean): Resource =>
  withFacts(push, GROUP, factsOf(group), isWithMembers ? groupAttributes(push, group) : knownNames(group));

/** For filters that read neither members nor `meta`. */
export const knownNames = onceForEach((group: Group) => ({ id: group.id, ...namesOf(group) }));

const factsOf = ({ id, detail = {}, updated_at }: Group) => ({
  id,
  created: textIn(detail, 'created_at'),
  lastModified: updated_at,
});
