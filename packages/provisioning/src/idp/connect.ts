import { rowNamed } from '@understudy/core/contract/cause';
import type { Env, Rows } from '@understudy/core/state/env';
import { DIALECTS, profileOf, PROVIDERS, type Provider } from './dialects.ts';
import { failedPrecondition, invalidArgument } from '@understudy/core/contract/errors';
import { suggestAmong } from '@understudy/text/suggestion';
import { queuePush } from './pushes.ts';
import { createDirectory } from '@understudy/core/operations/directories/directories';
import { createSecret } from '@understudy/core/operations/directories/secrets';

type App = Rows['idp_apps'];
type Directory = Rows['directories'];

interface WantedIdp {
  provider?: Provider;
  organization_id?: string;
  directory_id?: string;
  /** The e-mail address of somebody whom the directory knows. */
  user?: string;
}

/** The application at the provider; the first call connects it. */
export function connectedApp(env: Env, wanted: WantedIdp): App {
  const directory = directoryFor(env, wanted);
  const apps = env.idp_apps.list('directory_id', directory.id);
  const provider = wanted.provider ?? apps[0]?.provider ?? providerOf(directory);
  const known = apps.find((app) => app.provider === provider);
  if (!known) return connect(env, directory, provider);
  return known.base_url === env.baseUrl ? known : env.idp_apps.update(known.id, { base_url: env.baseUrl });
}

const providerOf = ({ directory_provider: wanted }: Directory): Provider =>
  (wanted && PROVIDERS.find((provider) => DIALECTS[provider].directoryProvider === wanted)) ?? 'generic';

function directoryFor(env: Env, { directory_id, organization_id, provider, user }: WantedIdp): Directory {
  if (directory_id !== undefined) return env.directories.get(directory_id);
  if (organization_id !== undefined) {
    const organization = env.organizations.get(organization_id);
    const own = env.directories.list('organization_id', organization.id);
    return best(env, own, provider) ?? newDirectory(env, organization.id, provider);
  }
  const found = (user === undefined ? undefined : knowing(env, user, provider)) ?? fitting(env, provider);
  if (found) return found;
  const domain = env.domains.list('domain', user?.split('@')[1]?.toLowerCase() ?? '')[0];
  if (domain)
    return directoryFor(env, { organization_id: domain.organization_id, ...(provider && { provider }) });
  throw failedPrecondition(
    `no directory is of ${provider ?? 'an identity provider'}: give an organization_id, and its directory is used or made`,
  );
}

/** An enabled directory for the provider: one that it is connected to, or one that names it. */
function best(env: Env, directories: readonly Directory[], provider: Provider | undefined) {
  const enabled = directories.filter((directory) => directory.enabled);
  if (provider === undefined) return enabled[0];
  const isConnected = ({ id }: Directory) =>
    env.idp_apps.list('directory_id', id).some((app) => app.provider === provider);
  return enabled.find(isConnected) ?? enabled.find((directory) => providerOf(directory) === provider);
}

const fitting = (env: Env, provider: Provider | undefined) => best(env, env.directories.list(), provider);

/** The directory that has the person, or whose provider has them. */
function knowing(env: Env, user: string, provider: Provider | undefined): Directory | undefined {
  const email = user.toLowerCase();
  const atProvider = env.idp_users.list('email', email).map(({ app_id }) => env.idp_apps.get(app_id));
  const inDirectory = env.directory_users.list().filter((each) => each.email.toLowerCase() === email);
  const ids = [...atProvider, ...inDirectory].map(({ directory_id }) => directory_id);
  return best(
    env,
    ids.map((id) => env.directories.get(id)),
    provider,
  );
}

function newDirectory(env: Env, organizationId: string, provider: Provider = 'generic'): Directory {
  const { directoryProvider } = DIALECTS[provider];
  return createDirectory(env, organizationId, {
    directory_type: 'SCIM',
    ...(directoryProvider && { directory_provider: directoryProvider }),
  });
}

/** An administrator enters the address and a new secret at the provider, which has the people of the directory. */
function connect(env: Env, directory: Directory, provider: Provider): App {
  if (!env.directories.get(directory.id).enabled)
    throw failedPrecondition(
      `directory ${directory.id} is disabled; enable it before a provider pushes to it`,
      {
        rows: [rowNamed('directories', directory)],
        needs: { enabled: true },
        leads: ['DirectoryService_EnableDirectory'],
      },
    );
  const { plain_secret: token } = createSecret(env, env.directories.get(directory.id));
  const { id: directory_id } = directory;
  const app = { directory_id, provider, token, base_url: env.baseUrl, failures: 0 };
  const { id } = env.idp_apps.insert({ id: env.draw.id('idpapp'), ...app });
  takeOver(env, env.idp_apps.get(id));
  queuePush(env, id, { kind: 'connect', label: directory_id });
  return env.idp_apps.get(id);
}

function takeOver(env: Env, { id: app_id, directory_id, provider }: App): void {
  const members = new Map<string, string>();
  for (const row of env.directory_users.list('directory_id', directory_id)) {
    const { email, given_name, family_name, preferred_username, detail = {} } = row;
    const user = env.idp_users.insert({
      ...newUser(env, { app_id, provider, email }),
      user_name: preferred_username || email,
      ...(given_name && { given_name }),
      ...(family_name && { family_name }),
      active: detail['active'] !== false,
      scim_id: row.id,
    });
    env.idp_users.update(user.id, { pushed: profileOf(user) });
    members.set(row.id, user.id);
  }
  for (const { id, display_name } of env.directory_groups.list('directory_id', directory_id)) {
    const known = env.directory_users.list('group_ids', id).map((user) => user.id);
    env.idp_groups.insert({
      ...newGroup(env, { app_id, provider, display_name }),
      member_ids: known.map((each) => members.get(each)!),
      scim_id: id,
      pushed: { display_name, members: known },
    });
  }
}

export const newUser = (
  env: Env,
  { app_id, provider, email }: { app_id: string; provider: Provider; email: string },
) => ({
  id: env.draw.id('idpuser'),
  app_id,
  email,
  user_name: email,
  external_id: newExternalId(env, provider, 0),
  active: true,
});

export const newGroup = (
  env: Env,
  { app_id, provider, display_name }: { app_id: string; provider: Provider; display_name: string },
) => ({
  id: env.draw.id('idpgroup'),
  app_id,
  display_name,
  external_id: newExternalId(env, provider, 1),
  member_ids: [] as string[],
});

const LENGTH = 17;

const newExternalId = (env: Env, provider: Provider, type: 0 | 1): string =>
  provider === 'entra' ? env.draw.uuid() : `${DIALECTS[provider].idPrefixes[type]}${env.draw.text(LENGTH)}`;

/** Throws `invalid_argument` for somebody whom the provider does not have. */
export function personOf(env: Env, app: App, email: string | undefined): Rows['idp_users'] {
  if (email === undefined) throw invalidArgument('user is required: the e-mail address of a person');
  const people = env.idp_users.list('app_id', app.id).filter(({ deleted }) => !deleted);
  const found = people.find((each) => each.email.toLowerCase() === email.toLowerCase());
  if (found) return found;
  const hint = suggestAmong(
    email,
    people.map((each) => each.email),
  );
  throw invalidArgument(`user: ${app.provider} has no ${email}${hint}`);
}

/** Throws `invalid_argument` for a group that the provider does not have. */
export function groupOf(env: Env, app: App, name: string | undefined): Rows['idp_groups'] {
  if (name === undefined) throw invalidArgument('group_name is required: the name of a group');
  const found = findGroup(env, app, name);
  if (found) return found;
  const names = env.idp_groups.list('app_id', app.id).map(({ display_name }) => display_name);
  throw invalidArgument(`group_name: ${app.provider} has no ${name}${suggestAmong(name, names)}`);
}

export const findGroup = (env: Env, app: App, name: string): Rows['idp_groups'] | undefined =>
  env.idp_groups.list('app_id', app.id).find((each) => each.display_name === name && !each.deleted);
