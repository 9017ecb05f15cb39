import type { Input } from '@understudy/core/contract/types';
import type { Env, Rows } from '@understudy/core/state/env';
import { page, pageOfList } from '@understudy/core/rows/page';
import { missingFields, notFound } from '@understudy/core/contract/errors';
import { belongsTo, connectionOf, describe, type AccountSelection } from '../accounts/account-selection.ts';
import type { Operations } from '@understudy/core/operations/handler';
import { listing } from '@understudy/core/operations/lists';
import { activeAccount, discoverTools } from './connection-tools.ts';

type Tool = Rows['tools'];
type Filter = Input<'ToolService_ListTools'>['query'];
type ScopedFilter = Input<'ToolService_ListScopedTools'>['query'];

export const toolLists = {
  ToolService_ListTools({ query }, env) {
    const { rows, ...rest } = page(env.tools, {
      size: toolPageSize(query),
      token: query.page_token,
      order: 'oldest',
      where: filterOf(env, query),
    });
    const summary = query['filter.summary'] ?? false;
    return {
      ...rest,
      tool_names: summary ? rows.map(({ definition }) => definition.name) : [],
      tools: summary ? [] : rows.map(viewTool),
    };
  },

  ToolService_ListScopedTools({ query }, env) {
    requireFilter(query);
    const { rows, ...rest } = pageOfList(scopedTools(env, query), {
      ...listing(query, env),
    });
    return { ...rest, tools: rows };
  },

  ToolService_ListAvailableTools({ query }, env) {
    requireAccount(env, query.identifier);
    const connections = activeAccounts(env, query.identifier).map((account) => {
      const connection = connectionFor(env, account);
      discoverTools(env, connection, account);
      return connection;
    });
    const { rows, ...rest } = page(env.tools, {
      ...listing(query, env),
      order: 'oldest',
      where: (tool) => connections.some((connection) => canRun(connection, tool)),
    });
    return { ...rest, tools: rows.map(viewTool) };
  },
} satisfies Partial<Operations>;

const USUAL_SIZE = 300;
const LARGEST_SIZE = 1000;
const LARGEST_SEARCH = 100;

/** As in the descriptors of the Python SDK: the size that is used without a page size or with 0, and the most. */
function toolPageSize({ page_size, 'filter.query': text }: Filter): number {
  return Math.min(page_size || USUAL_SIZE, text ? LARGEST_SEARCH : LARGEST_SIZE);
}

export const viewTool = ({ response: _, answers: __, connection_id: ___, mcp_tool: ____, ...shown }: Tool) =>
  shown;

/**
 * A connector or an account adds the tools of its MCP server to those that all environments have (comment in the vendor's
 * .proto files).
 */
function filterOf(env: Env, filter: Filter): (tool: Tool) => boolean {
  const connections = selectedConnections(env, {
    id: filter['filter.connected_account_id'],
    connector: filter['filter.connector'],
    identifier: filter['filter.identifier'],
    organization_id: filter['filter.organization_id'],
    user_id: filter['filter.user_id'],
  });
  for (const each of connections) discoverTools(env, each, activeAccount(env, each));
  const isOfProvider = oneOf([filter['filter.provider'] ?? '']);
  const isNamed = oneOf(filter['filter.tool_name']);
  const isFound = searchFor(filter['filter.query'] ?? '');
  return (tool) => {
    const reached = !isDiscovered(tool) || connections.some((each) => canRun(each, tool));
    return reached && isOfProvider(tool.provider) && isNamed(tool.definition.name) && isFound(tool);
  };
}

/** As in the descriptors of the Python SDK: all words must be in the name, and tools of MCP servers are not searched. */
function searchFor(text: string): (tool: Tool) => boolean {
  if (!text) return () => true;
  const words = text.toLowerCase().split(/[ _]/);
  return (tool) => {
    const name = tool.definition.name.toLowerCase();
    return !isDiscovered(tool) && words.every((word) => name.includes(word));
  };
}

/** Each tool once per account that can run it, grouped by account. */
function scopedTools(env: Env, filter: ScopedFilter) {
  const names = (filter['filter.connection_names'] ?? []).filter(Boolean);
  const wanted = new Set(names.map((name) => connectionOf(env, name).id));
  requireAccount(env, filter.identifier);
  const isOfProvider = oneOf(filter['filter.providers']);
  const isNamed = oneOf(filter['filter.tool_names']);
  const accounts = activeAccounts(env, filter.identifier);
  return accounts.flatMap((account) => {
    const connection = connectionFor(env, account);
    if (wanted.size > 0 && !wanted.has(connection.id)) return [];
    discoverTools(env, connection, account);
    return env.tools
      .list('provider', connection.provider_key)
      .filter((tool) => canRun(connection, tool))
      .filter((tool) => isOfProvider(tool.provider) && isNamed(tool.definition.name))
      .map((tool) => ({
        tool: viewTool(tool),
        identifier: account.identifier,
        connected_account_id: account.id,
      }));
  });
}

/** Ignores case; an empty list matches everything. */
function oneOf(given: readonly string[] = []): (text: string) => boolean {
  const allowed = new Set(given.filter(Boolean).map((each) => each.toLowerCase()));
  return (text) => allowed.size === 0 || allowed.has(text.toLowerCase());
}

/** A message in a query is present if one of its fields is. */
function requireFilter(filter: ScopedFilter): void {
  const fields = ['filter.providers', 'filter.tool_names', 'filter.connection_names'] as const;
  if (fields.some((field) => filter[field] !== undefined)) return;
  throw missingFields('filter');
}

type Account = Rows['connected_accounts'];
type Connection = Rows['connections'];

/** Names of tools from an MCP server contain the key of their connection. */
const isDiscovered = ({ definition }: Tool) => definition.name.startsWith('c-');

/** Whether accounts of the connection can run the tool. */
export function canRun({ id, provider_key, key_id }: Connection, tool: Tool): boolean {
  if (tool.provider !== provider_key) return false;
  if (tool.connection_id !== undefined) return tool.connection_id === id;
  return !isDiscovered(tool) || tool.definition.name.startsWith(`c-${key_id}_`);
}

/** The active accounts of an identifier. Unverified (tools/inactive-accounts): other accounts list no tools. */
function activeAccounts(env: Env, identifier: string): Account[] {
  const accounts = env.connected_accounts.list('identifier', identifier);
  const active = accounts.filter(({ status }) => status === 'ACTIVE');
  if (active.length < accounts.length) env.decidedBy('tools/inactive-accounts');
  return active;
}

/**
 * The connections whose MCP servers add tools. Throws for a connector, an id or an identifier that is unknown, as in the
 * descriptors of the Python SDK. Unverified (tools/connector-without-identifier): a connector alone adds its tools, though it
 * names no account.
 */
function selectedConnections(env: Env, selection: AccountSelection): Connection[] {
  const { id, connector, identifier, organization_id, user_id } = selection;
  if (id) return [connectionFor(env, env.connected_accounts.get(id))];
  const connection = connector ? connectionOf(env, connector) : undefined;
  if (!identifier && !organization_id && !user_id) {
    if (connection) env.decidedBy('tools/connector-without-identifier');
    return connection ? [connection] : [];
  }
  const selected = accountsOf(env, selection).map((account) => connectionFor(env, account));
  const reached = [...new Set(selected)].filter((each) => !connection || each === connection);
  if (identifier && reached.length === 0) throw notFound('connected account', describe(selection));
  return reached;
}

const connectionFor = (env: Env, { connection_id }: Account): Connection =>
  env.connections.get(connection_id);

function accountsOf(env: Env, { identifier, organization_id, user_id }: AccountSelection): Account[] {
  const [index, key] = identifier
    ? ['identifier', identifier]
    : user_id
      ? ['user_id', user_id]
      : ['organization_id', organization_id ?? ''];
  const accounts = env.connected_accounts.list(index, key);
  return accounts.filter((account) => belongsTo(account, { organization_id, user_id }));
}

/** Throws if no account has the identifier. */
function requireAccount(env: Env, identifier: string): void {
  if (env.connected_accounts.count('identifier', identifier) > 0) return;
  throw notFound('connected account', `identifier ${identifier}`);
}
