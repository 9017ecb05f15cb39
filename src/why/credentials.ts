import type { Entry } from '../journal/entry.ts';
import { isObject } from '@understudy/text/json';
import { counted } from '@understudy/text/words';
import type { Environment } from '../environment/environment.ts';
import type { Fact, Place, Reasons, Remedy } from './answer.ts';

/** The call had no good token, secret or client. */
export function credentialReasons(entry: Entry, place: Place): Reasons {
  const { environment } = place;
  const [first, ...others] = [...clientFacts(entry, place), ...secretFacts(entry, place)];
  const isProbe = entry.expected !== undefined;
  const summary = isProbe
    ? 'The SDK for Node makes its first call without a token. This is no failure: it gets a token and calls again.'
    : first?.text;
  return {
    ...(summary !== undefined && { summary }),
    because: others,
    remedies: isProbe ? [] : [secretRemedy(entry) ?? tokenRemedy(environment)],
  };
}

/** SCIM takes a secret of the directory, which the answer that created the secret had. */
function secretRemedy({ operation = '', path }: Entry): Remedy | undefined {
  const [, id] = operation.startsWith('Scim') ? (/\/(dir_[\w-]+)\//.exec(path) ?? []) : [];
  if (id === undefined) return undefined;
  return {
    text: `Show directory ${id} with its secrets.`,
    method: 'GET',
    path: `/_control/v1/state/directories/${id}`,
  };
}

export const tokenRemedy = ({ name, credentials }: Environment): Remedy => ({
  text: `Get a token of environment ${name}.`,
  method: 'POST',
  path: '/oauth/token',
  body: { grant_type: 'client_credentials', ...credentials },
});

/** Whether the client that the form names exists, here or elsewhere. */
function clientFacts({ body }: Entry, { environment, environments }: Place): Fact[] {
  const id = isObject(body) ? body['client_id'] : undefined;
  if (typeof id !== 'string' || id === '' || id.length > 200) return [];
  const has = ({ tables }: Environment) => tables.clients.has(id);
  if (has(environment)) {
    const count = environment.tables.clients.get(id).secrets.length;
    const isSent = isObject(body) && typeof body['client_secret'] === 'string';
    const text = isSent
      ? `Client ${id} exists in environment ${environment.name}; what was sent is none of its ${counted(count, 'secret')}, or one that is no longer good.`
      : `Client ${id} exists in environment ${environment.name}; no client_secret was sent.`;
    return [{ text, row: `clients/${id}` }];
  }
  const other = environments.list().find(has);
  return [
    {
      text: other
        ? `Client ${id} is of environment ${other.name}, not of ${environment.name}.`
        : `Environment ${environment.name} has no client ${id}.`,
    },
  ];
}

/** The secret of a directory names the directory, also when it was sent to another one. */
function secretFacts({ headers, operation = '' }: Entry, { environments }: Place): Fact[] {
  const { authorization } = headers;
  const sent = typeof authorization === 'string' ? /^bearer (\S+)$/i.exec(authorization)?.[1] : undefined;
  if (sent === undefined || !operation.startsWith('Scim')) return [];
  for (const { name, tables } of environments.list())
    for (const { id, secrets } of tables.directories.list())
      if (secrets.some(({ secret }) => secret === sent))
        return [
          { text: `The secret is one of directory ${id} in environment ${name}.`, row: `directories/${id}` },
        ];
  return [{ text: 'No directory of any environment has this secret.' }];
}
