import { rowNamed } from '@understudy/core/contract/cause';
import type { Input } from '@understudy/core/contract/types';
import type { Env, Rows } from '@understudy/core/state/env';
import {
  ApiError,
  failedPrecondition,
  invalidArgument,
  validationError,
} from '@understudy/core/contract/errors';
import { addressCode, ownCode } from '@understudy/text/issued-code';
import { shortened } from '@understudy/text/suggestion';
import { mcpServerUrl } from '@understudy/core/operations/connections/connection-list';
import { insertAccount } from '../accounts/account-creation.ts';
import { inactiveAccount } from '../accounts/account-selection.ts';
import type { Operations } from '@understudy/core/operations/handler';
import { tokenClaims } from '@understudy/core/operations/oauth/user-grant';
import { serverUrl } from './configs.ts';
import { accountOn, readOfferedTools, viewOfferedTools, type OfferedTools } from './offered-tools.ts';

type Mcp = Rows['mcps'];

/** MCP servers of the API's oldest kind: for one user, without a configuration. */
export const mcps = {
  McpService_CreateMcp({ body }, env) {
    const { connected_account_identifier, tool_mappings } = body;
    const offered = tool_mappings.map(({ tool_names: tools, ...mapping }) => ({ ...mapping, tools }));
    const offer = readOfferedTools(env, offered);
    const mcp =
      findSame(env, connected_account_identifier, offer) ??
      env.mcps.insert({
        id: env.draw.id('mcp'),
        connected_account_identifier,
        ...offer,
        link_token: env.draw.uuid(),
      });
    return { mcp: viewMcp(env, mcp) };
  },

  McpService_GetMcp({ path }, env) {
    return { mcp: viewMcp(env, env.mcps.get(path.mcp_id)) };
  },

  McpService_ListMcp({ query }, env) {
    const { 'filter.connected_account_identifier': identifier, 'filter.link_token': token } = query;
    const ofUser = () => env.mcps.list('connected_account_identifier', identifier);
    const rows = token
      ? env.mcps.list('link_token', ownCode(env, token) ?? '')
      : identifier
        ? ofUser()
        : env.mcps.list();
    const listed = rows.filter((mcp) => !identifier || mcp.connected_account_identifier === identifier);
    return { mcps: listed.toReversed().map((mcp) => viewMcp(env, mcp)) };
  },

  McpService_DeleteMcp({ path }, env) {
    env.remove('mcps', path.mcp_id);
    return {};
  },
} satisfies Partial<Operations>;

/** Ignores the order of connections and tools. */
const findSame = (env: Env, identifier: string, offer: OfferedTools): Mcp | undefined =>
  env.mcps
    .list('connected_account_identifier', identifier)
    .find((each) => fingerprint(each) === fingerprint(offer));

const fingerprint = ({ connection_ids, tools }: OfferedTools) =>
  JSON.stringify(connection_ids.toSorted().map((id) => [id, (tools[id] ?? []).toSorted()]));

function viewMcp(env: Env, mcp: Mcp) {
  const { id, connected_account_identifier, link_token } = mcp;
  const mappings = viewOfferedTools(env, mcp, connected_account_identifier);
  return {
    id,
    tool_mappings: mappings.map(({ tools: tool_names, connection_name, connected_account_status = '' }) => ({
      tool_names,
      connection_name,
      status: connected_account_status,
    })),
    connected_account_identifier,
    url: `${env.baseUrl}/mcp/v1/${addressCode(env, link_token)}`,
  };
}

const SHORTEST = 60;
const LONGEST = 86_400;

export const sessionTokens = {
  McpService_CreateMcpSessionToken({ path, body }: TokenRequest, env: Env) {
    const { identifier, expiry = '3600s', access_level = 'FULL' } = body;
    const { mcp_config_id, key_id } = { ...body, ...path };
    if (mcp_config_id && key_id) throw invalidArgument('give mcp_config_id or key_id, not both');
    const lifetime = lifetimeOf(expiry);
    const target = key_id
      ? connectionTarget(env, key_id, identifier)
      : configTarget(env, mcp_config_id ?? '', identifier);
    const claims = tokenClaims(env, lifetime);
    const token = env.token({
      ...claims,
      sub: identifier,
      token_type: 'mcp_session',
      ...target,
      access_level,
    });
    return { token, expires_at: new Date(claims.exp * 1000).toISOString() };
  },
} satisfies Partial<Operations>;

/** The path names a configuration or a connection. */
interface TokenRequest {
  path: { mcp_config_id?: string; key_id?: string };
  body: Input<'McpService_CreateMcpSessionToken'>['body'];
}

function configTarget(env: Env, id: string, identifier: string) {
  const config = env.mcp_configs.get(id);
  return {
    aud: serverUrl(env, config),
    mcp_cfg: config.id,
    ca_ids: accountsOf(env, config, identifier),
  };
}

/** As in the descriptors of the Python SDK. A connection that cannot be used yet is not found either. */
function connectionTarget(env: Env, name: string, identifier: string) {
  const connection = connectionNamed(env, name);
  if (!connection?.enabled || connection.status !== 'COMPLETED')
    throw new ApiError('not_found', `connection not found for key: ${shortened(name)}`, {
      why: { kind: 'unknown', noun: 'connection', wanted: `with the key_id ${shortened(name)}` },
    });
  const aud = mcpServerUrl(env, connection);
  if (!aud) throw invalidArgument(`connection ${name} is not for connected accounts`);
  return { aud, conn_id: connection.id, ca_ids: [accountFor(env, connection, identifier)] };
}

/**
 * Unverified (mcp/token-before-authorization): the docs of the Python SDK say that it depends on the environment whether
 * the token needs an active account, or a pending one is created. They do not say what is usual.
 */
function accountFor(env: Env, { id, key_id = '' }: Rows['connections'], identifier: string): string {
  const account = accountOn(env, id, identifier);
  if (account?.status === 'ACTIVE') return account.id;
  env.decidedBy('mcp/token-before-authorization');
  if (env.settings.get('settings').mcp_tokens_need_account) return activeAccount(env, id, identifier);
  return account?.id ?? insertAccount(env, { connector: key_id, identifier }, {}).id;
}

/**
 * As in the docs of the Python SDK, upper and lower case are the same. Unverified (mcp/upper-and-lower-case): the exact
 * name wins.
 */
function connectionNamed(env: Env, name: string): Rows['connections'] | undefined {
  const wanted = name.toLowerCase();
  const exact = env.connections.findBy('key_id', name);
  const named = env.connections.list().filter(({ key_id }) => key_id?.toLowerCase() === wanted);
  if (named.length > 1) env.decidedBy('mcp/upper-and-lower-case');
  return exact ?? named[0];
}

/** Rounds down to whole seconds, as the service does. */
function lifetimeOf(expiry: string): number {
  const seconds = Math.trunc(Number.parseFloat(expiry));
  if (seconds >= SHORTEST && seconds <= LONGEST) return seconds;
  const description = `value must be greater than or equal to ${SHORTEST}s and less than or equal to ${LONGEST}s`;
  throw validationError([{ field: 'expiry', description, constraint: 'duration.gte_lte' }]);
}

/**
 * Finds the user's account on each connection of the configuration. The API reference documents a 400 if no account is active.
 * Published agents expect a token even then: the setting `mcp_tokens_need_account: false` gives them one.
 */
function accountsOf(env: Env, { id: config, name, connection_ids }: Rows['mcp_configs'], identifier: string) {
  if (connection_ids.length === 0)
    throw failedPrecondition(`mcp config ${name} has no connections`, {
      rows: [rowNamed('mcp_configs', { id: config })],
      leads: ['McpService_UpdateMcpConfig'],
    });
  const isNeeded = env.settings.get('settings').mcp_tokens_need_account ?? true;
  return connection_ids.map((id) =>
    isNeeded ? activeAccount(env, id, identifier) : accountFor(env, env.connections.get(id), identifier),
  );
}

function activeAccount(env: Env, connection_id: string, identifier: string): string {
  const account = accountOn(env, connection_id, identifier);
  if (account?.status === 'ACTIVE') return account.id;
  const { key_id = connection_id } = env.connections.get(connection_id);
  throw failedPrecondition(
    `${identifier} has no active connected account for connection ${key_id}`,
    account ? inactiveAccount(account) : { leads: ['ConnectedAccountService_CreateConnectedAccount'] },
  );
}
