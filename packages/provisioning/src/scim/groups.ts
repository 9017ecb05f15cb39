import { isDeepStrictEqual } from 'node:util';
import type { Rows } from '@understudy/core/state/env';
import { notFound } from '@understudy/core/contract/errors';
import type { Resource } from '@understudy/scim/attributes';
import { patched } from '@understudy/scim/patch';
import { GROUP } from '@understudy/scim/schemas';
import { readResource } from '@understudy/scim/reading';
import { Answer, type Operations } from '@understudy/core/operations/handler';
import { answerIfNew, answerWith, refuseOtherVersion } from './answers.ts';
import { setMembers, wantedMembers } from './group-members.ts';
import { groupAttributes, groupColumns, groupResource, memberIds } from './group-rows.ts';
import { pushing, type Pushing } from './pushing.ts';

type Group = Rows['directory_groups'];

export const groups = {
  Scim_CreateGroup({ query, body }, env) {
    const push = pushing(env, 'writes');
    const resource = readResource(GROUP, body);
    const wanted = wantedMembers(push, memberIds(resource));
    const now = env.clock.iso();
    const columns = groupColumns(resource, wanted.waiting);
    const { id } = env.directory_groups.insert({
      id: env.draw.id('dirgroup'),
      directory_id: push.directory.id,
      role_ids: [],
      updated_at: now,
      ...columns,
      detail: { ...columns.detail, created_at: now },
    });
    const { joined } = setMembers(env, env.directory_groups.get(id), wanted.ids);
    const note = `created group ${columns.display_name}: ${joined} joined${waitingNote(wanted.waiting)}`;
    return answerWith(GROUP, groupResource(push, env.directory_groups.get(id)), { status: 201, query, note });
  },

  Scim_GetGroup({ path, query, headers }, env) {
    const push = pushing(env, 'reads');
    const resource = groupResource(push, findGroup(push, path.id));
    return answerIfNew(GROUP, resource, { query, known: headers['If-None-Match'] });
  },

  Scim_ReplaceGroup({ path, query, headers, body }, env) {
    const push = pushing(env, 'writes');
    const group = findForChange(push, path.id, headers['If-Match']);
    return changeGroup(push, group, { next: readResource(GROUP, body), query });
  },

  Scim_PatchGroup({ path, query, headers, body }, env) {
    const push = pushing(env, 'writes');
    const group = findForChange(push, path.id, headers['If-Match']);
    return changeGroup(push, group, {
      next: patched(GROUP, groupAttributes(push, group), body.Operations),
      query,
    });
  },

  Scim_DeleteGroup({ path, headers }, env) {
    const push = pushing(env, 'writes');
    const { id, display_name } = findForChange(push, path.id, headers['If-Match']);
    const members = env.directory_users.count('group_ids', id);
    env.remove('directory_groups', id);
    return new Answer(204, {}, undefined, `removed group ${display_name}: ${members} left`);
  },
} satisfies Partial<Operations>;

/** A row of another directory is not found, as for users. */
function findGroup({ env, directory }: Pushing, id: string): Group {
  const group = env.directory_groups.find(id);
  if (group?.directory_id !== directory.id) throw notFound('group', id);
  return group;
}

function findForChange(push: Pushing, id: string, wanted: string | undefined): Group {
  const group = findGroup(push, id);
  if (wanted !== undefined) refuseOtherVersion(groupResource(push, group), wanted);
  return group;
}

interface GroupChange {
  next: Resource;
  query: { attributes?: string; excludedAttributes?: string };
}

/** A change that changes nothing causes no event. Unverified (scim/membership-changes-group): joining and leaving changes the group, too. */
function changeGroup(push: Pushing, before: Group, { next, query }: GroupChange): Answer {
  const { env } = push;
  const wanted = wantedMembers(push, memberIds(next));
  const columns = groupColumns(next, wanted.waiting, before);
  const { display_name, detail } = before;
  const isRenamed = !isDeepStrictEqual(columns, { display_name, detail });
  const { joined, left } = setMembers(env, before, wanted.ids);
  const isChanged = isRenamed || joined + left > 0;
  if (isChanged && !isRenamed) env.decidedBy('scim/membership-changes-group');
  if (isChanged) env.directory_groups.update(before.id, { ...columns, updated_at: env.clock.iso() });
  const note = isChanged
    ? `changed group ${columns.display_name}: ${joined} joined, ${left} left${waitingNote(wanted.waiting)}`
    : `group ${display_name} stays as it is`;
  return answerWith(GROUP, groupResource(push, env.directory_groups.get(before.id)), { query, note });
}

const waitingNote = ({ length }: readonly string[]): string =>
  length === 0 ? '' : `; ${length} will join when the directory knows them`;
