import type { Input } from '../../contract/types.ts';
import type { Env, Rows } from '../../state/env.ts';
import { notFound } from '../../contract/errors.ts';
import { taken } from '../conflicts.ts';
import type { Operations } from '../handler.ts';
import { refuseViolations } from '../refusals.ts';

const NAME = /^[a-zA-Z0-9:]{1,64}$/;

export const scopes = {
  ClientService_ListScopes({ path, query }: ScopesInput, env: Env) {
    if (!isOwn(env, path.env_id)) throw notFound('environment', path.env_id ?? '');
    return { scopes: isOwn(env, query?.env_id) ? env.scopes.list().map(viewScope) : [] };
  },

  ClientService_CreateScope(
    { path, query, body }: ScopesInput & Input<'ClientService_CreateScope'>,
    env: Env,
  ) {
    const { name, description } = body;
    const wanted = path.env_id ?? query?.env_id;
    if (!isOwn(env, wanted)) throw notFound('environment', wanted ?? '');
    const by = env.scopes.findBy('name', name);
    if (by) throw taken(env, 'scope', { key: name, by }, 'scopes');
    return { scope: viewScope(insertScope(env, name, description)) };
  },

  ClientService_UpdateScope({ path, body }, env) {
    const { id } = env.scopes.get(path.id);
    const { description, enabled } = body;
    // Over gRPC an empty description looks like one that was not set, so it changes nothing.
    const changes = { ...(description && { description }), ...(enabled !== undefined && { enabled }) };
    return { scope: viewScope(env.scopes.update(id, changes)) };
  },

  ClientService_DeleteScope({ path }, env) {
    env.remove('scopes', env.scopes.get(path.id).id);
    return {};
  },
} satisfies Partial<Operations>;

/** One path names the environment, another has it in the query. */
interface ScopesInput {
  path: { env_id?: string };
  query?: { env_id?: string };
}

/**
 * Unverified (resources/scopes-of-other-environments): the token decides which environment answers, so another one has
 * no scopes.
 */
function isOwn(env: Env, environment_id: string | undefined): boolean {
  if (!environment_id || environment_id === env.settings.get('settings').environment_id) return true;
  env.decidedBy('resources/scopes-of-other-environments');
  return false;
}

function insertScope(env: Env, name: string, description = ''): Rows['scopes'] {
  return env.scopes.insert({ id: env.draw.id('scp'), name, description, enabled: true });
}

/**
 * The ids of these scopes. Unverified (resources/new-scope-names): a name that is no scope of the environment becomes
 * one.
 */
export function scopeIds(env: Env, names: readonly string[]): string[] {
  const broken = names.flatMap((name, index) =>
    NAME.test(name) ? [] : [{ field: `resource.scopes[${index}]`, ...WRONG_NAME }],
  );
  refuseViolations(broken);
  return [...new Set(names)].map((name) => {
    const known = env.scopes.findBy('name', name);
    if (!known) env.decidedBy('resources/new-scope-names');
    return (known ?? insertScope(env, name)).id;
  });
}

export function viewScope({ id, name, description, enabled }: Rows['scopes']) {
  return { id, name, description: description ?? '', enabled };
}

const WRONG_NAME = {
  description: 'value must have 1 to 64 letters, digits or colons',
  constraint: 'string.pattern',
};
