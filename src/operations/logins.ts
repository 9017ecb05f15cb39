import { rowNamed } from '../contract/cause.ts';
import type { Input } from '../contract/types.ts';
import type { Env, Rows } from '../state/env.ts';
import { page } from '../rows/page.ts';
import { failedPrecondition, notFound, missingFields, invalidArgument } from '../contract/errors.ts';
import { withEnvironmentName } from '@understudy/text/issued-code';
import type { Operations } from './handler.ts';
import { isBetweenTimes, listing } from './lists.ts';
import { publicId } from './resources/resource-clients.ts';
import { shortened } from '@understudy/text/suggestion';

type LoginRequest = Rows['login_requests'];

/**
 * Unverified (identity-provider/login-request-lifetime): a comment of the vendor's .proto files says fifteen minutes, a
 * page about ten.
 */
export const LOGIN_REQUEST_LIFETIME = 15 * 60_000;

export const loginRequests = {
  AuthService_UpdateLoginUserDetails({ path, body }, env) {
    const { login_failed: failed = false, ...user } = body;
    if (!failed) requireUser(user);
    const connection = env.connections.get(path.connection_id);
    const request = env.login_requests.find(path.login_request_id);
    if (request?.connection_id !== connection.id) throw notFound('login request', path.login_request_id);
    refuseUnlessPending(request);

    const status = failed ? 'FAILED' : 'COMPLETED';
    const { auth_request_id } = env.login_requests.update(request.id, { status, user });
    noteInAuthLog(env, auth_request_id, { email: user.email, failed });
    return { auth_request_id };
  },

  AuthService_GetLoginRequestDetails({ path }, env) {
    const request = env.login_requests.find(path.login_request_id);
    if (!request || env.clock.isPast(request.expires_at))
      throw invalidArgument(`login request ${path.login_request_id} is unknown or has expired`);
    const { auth_request_id } = request;
    const transaction = env.login_transactions.find(withEnvironmentName(env, auth_request_id));
    const client = transaction && env.clients.find(transaction.client_id);
    if (!client) throw notFound('client', `of login request ${request.id}`);
    const { resource_id, scopes } = transaction;
    const resource = resource_id ? env.resources.find(resource_id) : undefined;
    return {
      auth_request: { id: auth_request_id, scopes },
      client: {
        client_id: publicId(client),
        sk_client_id: client.id,
        client_name: client.name,
        is_dcr: client.is_dcr ?? false,
        is_cimd: client.metadata_uri !== undefined,
      },
      ...(resource && { resource: { id: resource.id, name: resource.name } }),
    };
  },
} satisfies Partial<Operations>;

/**
 * Unverified (sign-in/login-answered-twice): a login request is answered once and before it expires; the docs do not
 * give the error.
 */
function refuseUnlessPending({ id, status }: LoginRequest): void {
  if (status === 'PENDING') return;
  const why = status === 'EXPIRED' ? 'has expired' : 'was answered already';
  throw failedPrecondition(`login request ${id} ${why}`, {
    rows: [rowNamed('login_requests', { id })],
    needs: { status: 'PENDING' },
  }).decidedBy('sign-in/login-answered-twice');
}

/** A successful login has both fields (Scalekit docs, Custom auth). */
function requireUser(user: { sub?: string; email?: string }): void {
  const missing = (['sub', 'email'] as const).filter((member) => !user[member]);
  if (missing.length === 0) return;
  throw missingFields(...missing.map((member) => `user.${member}`));
}

/** Notes the user in the auth log. The login itself continues in the browser unless it failed. */
function noteInAuthLog(
  env: Env,
  id: string,
  { email, failed }: { email?: string | undefined; failed: boolean },
) {
  env.auth_logs.update(id, {
    status: failed ? 'FAILED' : 'PENDING',
    ...(email && { email }),
  });
}

type AuthLog = Rows['auth_logs'];
type Filter = Input<'AuditLogsService_ListAuthRequests'>['query'];

const STATUSES = ['INITIATED', 'PENDING', 'SUCCESS', 'FAILED'];

export const authLogs = {
  AuditLogsService_ListAuthRequests({ query }, env) {
    const { environment_id } = env.settings.get('settings');
    const { rows, ...rest } = page(env.auth_logs, {
      ...listing(query, env),
      by: narrowest(query),
      where: filterOf(query),
    });
    return { ...rest, authRequests: rows.map((log) => viewAuthLog(log, environment_id)) };
  },
} satisfies Partial<Operations>;

/** Picks the index with the fewest rows. */
function narrowest(query: Filter): readonly [string, string] | undefined {
  const { email, connected_account_identifier, resource_id, client_id, status } = query;
  if (email) return ['email', email.toLowerCase()];
  if (connected_account_identifier) return ['connected_account_identifier', connected_account_identifier];
  if (resource_id) return ['resource_id', resource_id];
  if (client_id) return ['client_id', client_id];
  return status?.length === 1 ? ['status', status[0]!.toUpperCase()] : undefined;
}

/** undefined: every request matches, so the rows can be counted without reading them. */
function filterOf(query: Filter): ((log: AuthLog) => boolean) | undefined {
  const { status, start_time, end_time, email, connected_account_identifier, resource_id, client_id } = query;
  const statuses = statusesOf(status);
  const exact = Object.entries({ connected_account_identifier, resource_id, client_id }).filter(
    ([, wanted]) => wanted,
  );
  const isInTime = isBetweenTimes(start_time, end_time);
  if (statuses.length === 0 && !start_time && !end_time && exact.length === 0) return undefined;
  return (log) =>
    (statuses.length === 0 || statuses.includes(log.status)) &&
    isInTime(log.timestamp) &&
    (!email || log.email.toLowerCase() === email.toLowerCase()) &&
    exact.every(([member, wanted]) => log[member as keyof AuthLog] === wanted);
}

function statusesOf(wanted: readonly string[] = []): string[] {
  const statuses = wanted.map((status) => status.toUpperCase());
  const unknown = statuses.find((status) => !STATUSES.includes(status));
  if (unknown !== undefined)
    throw invalidArgument(`status ${shortened(unknown)} is not one of ${STATUSES.join(', ')}`);
  return statuses;
}

const TEXTS = {
  organization_id: '',
  connection_id: '',
  connection_type: '',
  connection_provider: '',
  workflow: '',
  resource_id: '',
  resource_name: '',
  resource_type: '',
  connected_account_identifier: '',
  client_id: '',
  client_name: '',
  client_type: '',
};

function viewAuthLog({ id, steps: _, ...log }: AuthLog, environment_id: string) {
  const shown = { ...TEXTS, ...log, environment_id, auth_request_id: id };
  const { connection_id, organization_id, connection_type, connection_provider } = shown;
  const connection = { connection_id, organization_id, connection_type, connection_provider };
  return { ...shown, connection_details: connection_id ? [connection] : [] };
}
