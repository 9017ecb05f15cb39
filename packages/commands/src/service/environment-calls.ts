import {
  type Environment,
  type NewEnvironment,
  type ReadOptions,
  ConnectionError,
  unchecked,
} from '@understudy/client/control';
import { parseReference } from '@understudy/core/scenarios/path';
import { table } from '@understudy/core/cli/connect';
import type { Session } from './session.ts';
import { readParams } from './state.ts';

export async function listEnvironments({ service, print }: Session): Promise<void> {
  const environments = await service.environments.list();
  const rows = environments.map(({ name, client_id, resting, kept }) => [
    name,
    client_id,
    [resting ? 'at rest' : '', kept ? `kept for ${kept.test} (${kept.outcome})` : '']
      .filter(Boolean)
      .join(', '),
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
  const scenarios = scenario.length > 0 ? await scenariosIn(scenario, service) : undefined;
  print(
    ...credentialsOf(await service.environments.create({ name: name || undefined, ...options, scenarios })),
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
export async function forkEnvironment(
  { environment, print }: Session,
  name: string | undefined,
  { at }: Pick<ReadOptions, 'at'>,
): Promise<void> {
  print(...credentialsOf(await environment.fork(name, { at })));
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

/** Prints an access token for the environment's client, for `curl -H "authorization: Bearer $(understudy token)"`. */
export async function token({ environment, print }: Session): Promise<void> {
  const { client_id, client_secret } = await environment.get();
  const body = new URLSearchParams({ grant_type: 'client_credentials', client_id, client_secret });
  const response = await fetch(`${environment.url}/oauth/token`, { method: 'POST', body });
  const answer = (await response.json()) as { access_token?: string; error_description?: string };
  if (answer.access_token === undefined)
    throw new ConnectionError(
      `no token: ${answer.error_description ?? `the service answers ${response.status}`}; if a scenario causes this, \`understudy requests --why\` says which one`,
    );
  print(answer, answer.access_token);
}
