import { rowNamed } from '@understudy/core/contract/cause';
import type { Env, Rows } from '@understudy/core/state/env';
import { ApiError, failedPrecondition, invalidArgument } from '@understudy/core/contract/errors';
import { pathTest } from '@understudy/text/glob';
import { isObject } from '@understudy/text/json';
import { shortened } from '@understudy/text/suggestion';
import { Passthrough, type Operations } from '@understudy/core/operations/handler';
import { holderOf, notActive, usedAccount, inactiveAccount } from './accounts/account-selection.ts';
import { keepFresh, credentialHeaders } from './accounts/credentials.ts';
import { fillAny } from './tools/tool-response.ts';

type Account = Rows['connected_accounts'];

interface ProxyInput {
  path: { path: string };
  query: Readonly<Record<string, unknown>>;
  headers: { connection_name?: string; identifier?: string };
  body?: unknown;
}

/** Simulates calls that are passed on to a provider. The replies are the rows of `proxy_responses`. */
export const actionsProxy = {
  ActionsProxy_Get: forward('GET'),
  ActionsProxy_Put: forward('PUT'),
  ActionsProxy_Post: forward('POST'),
  ActionsProxy_Patch: forward('PATCH'),
  ActionsProxy_Delete: forward('DELETE'),
} satisfies Partial<Operations>;

function forward(method: string) {
  return ({ path, query, headers, body }: ProxyInput, env: Env): Passthrough => {
    const account = usableAccount(env, headers);
    refuseInactive(keepFresh(env, account));
    refuseInactive(keepFresh(env, holderOf(env, account)));
    env.trace(() => env.connected_accounts.update(account.id, { last_used_at: env.clock.iso() }));
    return (
      passOn(env, account.id, { method, path: path.path }) ??
      providerAnswer(env, account, { method, path: `/${path.path}`, query, body })
    );
  };
}

/** Passes the call on to the address that plays the provider; undefined: there is none. */
function passOn(
  env: Env,
  accountId: string,
  { method, path }: { method: string; path: string },
): Passthrough | undefined {
  const account = env.connected_accounts.get(accountId);
  const { provider_key: provider } = env.connections.get(account.connection_id);
  const url = env.providerAddress(provider);
  if (url === undefined) return undefined;
  if (DOTS.test(path))
    throw invalidArgument(
      `path: ${shortened(path)} leaves the address of ${provider}, which --proxy-to gives`,
    );
  const credentials = credentialHeaders(env, account);
  const outcome = env.callProvider({ kind: 'proxy', provider, method, url, credentials });
  if (outcome.failure)
    throw new ApiError(outcome.failure, outcome.message, { writesStand: true, why: { kind: 'provider' } });
  return new Passthrough(outcome.status, outcome.headers, outcome.text === '' ? undefined : outcome.text);
}

/**
 * A segment `.` or `..`, also as programs behind the provider's address may decode it, once or twice. Some of them
 * ignore what follows a semicolon in a segment.
 */
const DOTS = /(^|[/\\]|%(25)?(2f|5c))(\.|%(25)?2e){1,2}($|[/\\?#;]|%(25)?(2f|5c|3b))/i;

function usableAccount(env: Env, { connection_name, identifier }: ProxyInput['headers']): Account {
  if (!connection_name) throw invalidArgument('the header connection_name is required');
  if (!identifier) throw invalidArgument('the header identifier is required');
  const account = usedAccount(env, { connector: connection_name, identifier });
  const { provider_key } = env.connections.get(account.connection_id);
  const provider = env.providers.find(provider_key);
  // Unverified (proxy/refused-calls): the docs give the status of neither this refusal nor the next one.
  if (provider && !provider.proxy_enabled) {
    throw failedPrecondition(`proxy not enabled for provider ${provider_key}`, {
      rows: [rowNamed('providers', provider)],
      needs: { proxy_enabled: true },
    }).decidedBy('proxy/refused-calls');
  }
  refuseInactive(account);
  return account;
}

/** An account whose token the third party refused to renew stays expired, even though this call fails. */
function refuseInactive(account: Account): void {
  if (account.status === 'ACTIVE') return;
  throw new ApiError('failed_precondition', notActive(account), {
    writesStand: true,
    why: { kind: 'state', ...inactiveAccount(account) },
  }).decidedBy('proxy/refused-calls');
}

type Connection = Rows['connections'];
type Row = Rows['proxy_responses'];

interface ProviderCall {
  method: string;
  path: string;
  query: Readonly<Record<string, unknown>>;
  body: unknown;
}

/** Replies with the best matching row of `proxy_responses`. */
function providerAnswer(env: Env, account: Account, call: ProviderCall): Passthrough {
  const connection = env.connections.get(account.connection_id);
  const row = bestRow(env, connection, call);
  if (!row) throw withoutAnswer(connection, call);
  const params = {
    ...call.query,
    ...(isObject(call.body) && call.body),
    ...variablesIn(row.path, call.path),
  };
  const body = row.body === undefined ? undefined : fillAny(row.body, params, env, account);
  const text = typeof body === 'string' ? { 'content-type': 'text/plain; charset=utf-8' } : {};
  return new Passthrough(row.status, { ...text, ...replyHeaders(row) }, body);
}

function bestRow(env: Env, { key_id, provider_key }: Connection, call: ProviderCall): Row | undefined {
  for (const target of [`connector ${key_id}`, `provider ${provider_key}`, 'any']) {
    const fitting = env.proxy_responses.list('target', target).filter((row) => matchesCall(row, call));
    const [best] = fitting.toSorted((a, b) => specificity(b) - specificity(a));
    if (best) return best;
  }
  return undefined;
}

/**
 * Unverified (proxy/no-known-answer): the status. It must not look like an answer of the provider that a test could
 * mistake for success.
 */
const withoutAnswer = ({ provider_key }: Connection, { method, path }: ProviderCall) =>
  new ApiError(
    'unimplemented',
    `Understudy has no answer of ${provider_key} to ${method} ${path}: add a row to the collection proxy_responses with ` +
      `provider "${provider_key}", method "${method}", path "${path}", a status and a body; or start understudy with ` +
      `--proxy-to ${provider_key.toLowerCase()}=URL to pass the calls on to a simulator of the provider`,
  ).decidedBy('proxy/no-known-answer');

const matchesCall = (row: Row, { method, path }: ProviderCall) =>
  (row.method === undefined || row.method === method) && pathTest(row.path)(path);

const specificity = ({ path, method }: Row) =>
  (path.includes('*') ? 0 : path.includes('{') ? 2 : 4) + (method ? 1 : 0);

/** The values of the segments that are a `{name}` in the row's path. */
function variablesIn(template: string, path: string): Record<string, string> {
  const segments = path.split('/');
  const found = template.split('/').flatMap((part, at) => {
    const [, name] = /^\{([^}]*)\}$/.exec(part) ?? [];
    return name === undefined ? [] : [[name, decoded(segments[at] ?? '')] as const];
  });
  return Object.fromEntries(found);
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment; // a URIError
  }
}

/** The HTTP server sets the headers for length and framing. */
const replyHeaders = ({ headers = {} }: Row) =>
  Object.fromEntries(
    Object.entries(headers)
      .map(([name, value]) => [name.toLowerCase(), value] as const)
      .filter(([name]) => !['content-length', 'transfer-encoding', 'connection'].includes(name)),
  );
