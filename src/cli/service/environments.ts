import type { Environment, NewEnvironment, Part } from '../../client/control.ts';
import { ConnectionError, unchecked } from '../../client/control.ts';
import { parseReference } from '../../scenarios/path.ts';
import { table, type Session } from './connect.ts';
import { readParams } from './scenarios.ts';

export async function listEnvironments({ service, print }: Session): Promise<void> {
  const environments = await service.environments.list();
  const rows = environments.map(({ name, client_id, resting }) => [
    name,
    client_id,
    resting ? 'at rest' : '',
  ]);
  print(environments, table(rows));
}

export interface CreateOptions extends Pick<NewEnvironment, 'fixture' | 'seed' | 'persist' | 'strict'> {
  scenario?: readonly string[];
}

export async function createEnvironment(
  { service, print }: Session,
  name: string | undefined,
  { scenario = [], ...options }: CreateOptions,
): Promise<void> {
  const scenarios = scenario.length > 0 && { scenarios: await scenariosIn(scenario, service) };
  print(
    ...credentialsOf(await service.environments.create({ ...(name && { name }), ...options, ...scenarios })),
  );
}

/** Names, some with parameters: `rate-limit-once,retry_after=5`. */
async function scenariosIn(references: readonly string[], service: Session['service']) {
  const list = await service.environment('default').scenarios.list();
  return references.map((text) => {
    const { name, params } = parseReference(text);
    return unchecked({ name, params: readParams(name, params, list) });
  });
}

/** Copies the environment of `--environment`. */
export async function forkEnvironment({ environment, print }: Session, name?: string): Promise<void> {
  print(...credentialsOf(await environment.fork(name)));
}

export async function dropEnvironment({ service, print }: Session, name: string): Promise<void> {
  await service.environments.drop(name);
  print({ dropped: name }, `environment ${name} is dropped`);
}

const credentialsOf = (environment: Environment): [Environment, string[]] => [
  environment,
  table([
    ['name', environment.name],
    ['url', environment.base_url],
    ['client_id', environment.client_id],
    ['client_secret', environment.client_secret],
  ]),
];

export async function takeSnapshot({ environment, print }: Session, name: string): Promise<void> {
  print(await environment.snapshots.take(name), `snapshot ${name} is taken`);
}

export async function restoreSnapshot({ environment, print }: Session, name: string): Promise<void> {
  await environment.snapshots.restore(name);
  print({ restored: name }, `snapshot ${name} is restored`);
}

export async function deleteSnapshot({ environment, print }: Session, name: string): Promise<void> {
  await environment.snapshots.delete(name);
  print({ deleted: name }, `snapshot ${name} is deleted`);
}

export async function listSnapshots({ environment, print }: Session): Promise<void> {
  const snapshots = await environment.snapshots.list();
  print(
    snapshots,
    snapshots.map(({ name }) => name),
  );
}

/** Prints an access token for the environment's client, for `curl -H "authorization: Bearer $(understudy token)"`. */
export async function token({ environment, print }: Session): Promise<void> {
  const { client_id, client_secret } = await environment.get();
  const body = new URLSearchParams({ grant_type: 'client_credentials', client_id, client_secret });
  const response = await fetch(`${environment.url}/oauth/token`, { method: 'POST', body });
  const answer = (await response.json()) as { access_token?: string; error_description?: string };
  if (answer.access_token === undefined)
    throw new ConnectionError(
      `no token: ${answer.error_description ?? `the service answers ${response.status}`}`,
    );
  print(answer, answer.access_token);
}

export interface ResetOptions {
  /** The parts to reset, separated by commas. */
  only?: string;
}

export async function reset({ environment, print }: Session, { only }: ResetOptions): Promise<void> {
  await environment.reset(only === undefined ? {} : { only: only.split(',') as Part[] });
  print({ reset: only ?? 'everything' }, `environment ${environment.name} is reset`);
}
