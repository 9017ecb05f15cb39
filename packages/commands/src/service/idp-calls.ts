import type { Idp, IdpControl, IdpProvider, PushOptions } from '@understudy/client/control';
import { unchecked } from '@understudy/client/control';
import { table } from '@understudy/core/cli/connect';
import type { Session } from './session.ts';
import { jsonOrText } from '@understudy/text/json';

export interface IdpFlags {
  provider?: IdpProvider;
  organization?: string;
  directory?: string;
  late?: string;
  givenName?: string;
  familyName?: string;
  email?: string;
  group?: readonly string[];
}

/** What a command does at the identity provider. */
export type IdpCommand = (
  idp: IdpControl,
  args: readonly string[],
  options: PushOptions,
  flags: IdpFlags,
) => Promise<Idp>;

export const IDP_COMMANDS = {
  create: (idp, [user], options, flags) => {
    const { givenName, familyName, group = [] } = flags;
    const groups = group.length > 0 ? group : undefined;
    return idp.create(user!, { ...options, givenName, familyName, groups });
  },
  change: (idp, [user], options, { givenName, familyName, email }) =>
    idp.change(user!, { ...options, givenName, familyName, email }),
  move: (idp, [user, ...groups], options) => idp.move(user!, groups, options),
  deactivate: (idp, [user], options) => idp.deactivate(user!, options),
  activate: (idp, [user], options) => idp.activate(user!, options),
  delete: (idp, [user], options) => idp.delete(user!, options),
  recreate: (idp, [user], options) => idp.recreate(user!, options),
  offboard: (idp, [user], options) => idp.offboard(user!, options),
  'create-group': (idp, [group], options) => idp.createGroup(group!, options),
  'rename-group': (idp, [group, name], options) => idp.renameGroup(group!, name!, options),
  'delete-group': (idp, [group], options) => idp.deleteGroup(group!, options),
  'push-all': (idp, _, options) => idp.pushAll(options),
  sync: (idp) => idp.sync(),
  patch: (idp, [user, text]) =>
    idp.sendPatch(user!, text === undefined ? {} : { patch: jsonOrText(text) as Record<string, unknown> }),
} satisfies Record<string, IdpCommand>;

export async function actAsIdp(
  { environment, print }: Session,
  command: keyof typeof IDP_COMMANDS,
  args: readonly string[],
  flags: IdpFlags,
): Promise<void> {
  const { provider, organization, directory, late } = flags;
  const idp = environment.idp(provider, { organization, directory });
  const options = late === undefined ? {} : { late: unchecked(late) };
  const act: IdpCommand = IDP_COMMANDS[command];
  const view = await act(idp, args, options, flags);
  print(view, pushLines(view), `${view.provider} has nothing to push`);
}

export async function listIdps({ environment, print }: Session): Promise<void> {
  const idps = await environment.idps();
  const rows = idps.map(({ provider, directory_id, users, groups, pushes }) => [
    provider,
    directory_id,
    `${users.length} people`,
    `${groups.length} groups`,
    `${pushes.filter(({ status }) => status !== 'DONE').length} pushes to do`,
  ]);
  print(idps, table(rows), 'no identity provider has pushed');
}

/** A line for each push, and one for each of its requests. */
function pushLines({ provider, pushes }: Idp): string[] {
  return pushes.flatMap(({ kind, label, status, next_attempt_at, attempts }) => [
    `${provider} ${kind} ${label}: ${status}${next_attempt_at ? `, next attempt at ${next_attempt_at}` : ''}`,
    ...attempts.flatMap(({ requests }) =>
      requests.map(
        ({ method, path, status: answered, detail, error }) =>
          `  ${method} ${path} ${answered ?? error ?? ''}${detail === undefined ? '' : ` ${detail}`}`,
      ),
    ),
  ]);
}
