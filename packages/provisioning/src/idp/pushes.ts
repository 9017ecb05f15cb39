import type { Env, Rows } from '@understudy/core/state/env';
import type { DirectoryContent } from './directory-reading.ts';
import { DIALECTS, pauseAfter } from './dialects.ts';
import { makePush, type PushResult } from './push.ts';
import { ScimClient } from './scim-client.ts';
import type { CallKind, CallOutcome } from '@understudy/core/webhooks/delivery-attempt';
import { refused } from '@understudy/core/webhooks/delivery-attempt';

type Push = Rows['idp_pushes'];

interface PushOutcome extends CallOutcome {
  pushed: PushResult;
  /** Milliseconds until the next attempt; undefined: no more. */
  pause: number | undefined;
}

/** What identity providers push to directories of this process. */
export const idpPushes: CallKind<Push> = {
  name: 'idp_push',

  /** One after the other, so that the same pushes get the same ids. */
  queueOf: () => ({ name: 'idp', atOnce: 1 }),

  isLocal: () => true,

  async attempt(push, environment, { ownAddress, stopping }) {
    const { tables, name } = environment;
    const app = tables.idp_apps.find(push.app_id);
    if (!app) return refused(`${push.app_id} is gone`);
    const endpoint = new URL(`${app.base_url}/directory/${app.directory_id}/scim/v2`);
    const { userAgent } = DIALECTS[app.provider];
    const client = new ScimClient({
      address: ownAddress() ?? app.base_url,
      endpoint,
      token: app.token,
      environment: name,
      userAgent,
      signal: stopping,
    });
    const pushed = await makePush(push, app, tables, client);
    const { refusal } = pushed;
    const now = environment.clock.now();
    const since = now - Date.parse(push.attempts[0]?.time ?? new Date(now).toISOString());
    const failures = { attempts: push.attempts.length + 1, since, inARow: app.failures + 1 };
    const usual =
      refusal && push.kind !== 'patch'
        ? pauseAfter(app.provider, { status: refusal.status, ...failures })
        : undefined;
    const pause = usual === undefined ? undefined : Math.max(usual, (refusal?.retryAfter ?? 0) * 1000);
    return {
      result: refusal ? 'failed' : 'delivered',
      attempts: [{ requests: client.requests } as never],
      pushed,
      pause,
    } satisfies PushOutcome;
  },

  rowAfter(push, outcome, { clock }) {
    const { result, pause } = outcome as PushOutcome;
    if (result === 'delivered') return { ...push, status: 'DONE' };
    if (pause === undefined) return { ...push, status: 'FAILED' };
    return { ...push, status: 'RETRYING', next_attempt_at: clock.after(pause) };
  },

  recordConsequences(env, { app_id, kind, subject_id = '' }, outcome) {
    const { result, pushed } = outcome as PushOutcome;
    const app = env.idp_apps.find(app_id);
    if (!app || !pushed) return;
    if (kind !== 'patch')
      env.idp_apps.update(app_id, { failures: result === 'delivered' ? 0 : app.failures + 1 });
    if (pushed.content) learnDirectory(env, app_id, pushed.content);
    const collection = kind === 'group' ? 'idp_groups' : 'idp_users';
    if (!env[collection].has(subject_id)) return;
    if (pushed.isGone) env.remove(collection, subject_id);
    else if (pushed.group) env.idp_groups.update(subject_id, pushed.group);
    else if (pushed.user) learnUser(env, subject_id, pushed.user);
  },
};

/** People and groups are matched by the id of the directory, and otherwise by their name. */
function learnDirectory(env: Env, app_id: string, { users, groups }: DirectoryContent): void {
  const userIds = new Map([...users].map(([id, { user_name }]) => [user_name.toLowerCase(), id]));
  for (const { id, scim_id = '', user_name } of env.idp_users.list('app_id', app_id)) {
    const known = users.has(scim_id) ? scim_id : userIds.get(user_name.toLowerCase());
    env.idp_users.update(id, { scim_id: known, pushed: users.get(known ?? '') });
  }
  const groupIds = new Map([...groups].map(([id, { display_name }]) => [display_name, id]));
  for (const { id, scim_id = '', display_name } of env.idp_groups.list('app_id', app_id)) {
    const known = groups.has(scim_id) ? scim_id : groupIds.get(display_name);
    env.idp_groups.update(id, { scim_id: known, pushed: groups.get(known ?? '') });
  }
}

/** A person whom the directory did not know is then pushed as a member of their groups. */
function learnUser(env: Env, id: string, user: NonNullable<PushResult['user']>): void {
  const { scim_id: before, app_id } = env.idp_users.get(id);
  env.idp_users.update(id, user);
  if (user.scim_id === undefined || user.scim_id === before) return;
  for (const group of env.idp_groups.list('member_ids', id)) {
    const waits = env.idp_pushes.list('status', 'QUEUED').some(({ subject_id }) => subject_id === group.id);
    if (!waits) queuePush(env, app_id, { kind: 'group', subject_id: group.id, label: group.display_name });
  }
}

export type NewPush = Pick<Push, 'kind' | 'label'> & Partial<Push>;

export const queuePush = (env: Env, app_id: string, push: NewPush): Push =>
  env.idp_pushes.insert({
    id: env.draw.id('idppush'),
    app_id,
    status: 'QUEUED',
    attempts: [],
    created_at: env.clock.iso(),
    ...push,
  });
