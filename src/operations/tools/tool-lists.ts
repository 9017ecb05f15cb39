import type { Input } from '../../contract/types.ts';
import { missingFields } from '../../errors.ts';
import { page, pageOfList } from '../../world/page.ts';
import type { Rows } from '../../world/schema.ts';
import type { World } from '../../world/world.ts';
import { connectionOf } from '../connected-accounts/account-selection.ts';
import type { Operations } from '../handler.ts';
import { mentions } from '../mentions.ts';
import { pageSize } from '../page-size.ts';
import {
  activeAccounts,
  connectionFor,
  connectionsMeant,
  isDiscovered,
  reaches,
  requireAccount,
} from './tool-reach.ts';

type Tool = Rows['tools'];
type Filter = Input<'ToolService_ListTools'>['query'];
type ScopedFilter = Input<'ToolService_ListScopedTools'>['query'];

export const toolLists = {
  ToolService_ListTools({ query }, world) {
    const { rows, ...rest } = page(world.tools, {
      size: pageSize(query.page_size, world),
      token: query.page_token,
      order: 'oldest',
      where: filterOf(world, query),
    });
    const summary = query['filter.summary'] ?? false;
    return {
      ...rest,
      tool_names: summary ? rows.map(({ definition }) => definition.name) : [],
      tools: summary ? [] : rows.map(viewTool),
    };
  },

  ToolService_ListScopedTools({ query }, world) {
    requireFilter(query);
    const { rows, ...rest } = pageOfList(scopedTools(world, query), {
      size: pageSize(query.page_size, world),
      token: query.page_token,
    });
    return { ...rest, tools: rows };
  },

  ToolService_ListAvailableTools({ query }, world) {
    requireAccount(world, query.identifier);
    const connections = activeAccounts(world, query.identifier).map((each) => connectionFor(world, each));
    const { rows, ...rest } = page(world.tools, {
      size: pageSize(query.page_size, world),
      token: query.page_token,
      order: 'oldest',
      where: (tool) => connections.some((connection) => reaches(connection, tool)),
    });
    return { ...rest, tools: rows.map(viewTool) };
  },
} satisfies Partial<Operations>;

const viewTool = ({ response: _, ...shown }: Tool) => shown;

/** Unverified: a connector or an account narrows the list to its tools, and adds those that its MCP server told of. */
function filterOf(world: World, filter: Filter): (tool: Tool) => boolean {
  const connections = connectionsMeant(world, {
    id: filter['filter.connected_account_id'],
    connector: filter['filter.connector'],
    identifier: filter['filter.identifier'],
    organization_id: filter['filter.organization_id'],
    user_id: filter['filter.user_id'],
  });
  const isOfProvider = oneOf([filter['filter.provider'] ?? '']);
  const isNamed = oneOf(filter['filter.tool_name']);
  const text = filter['filter.query'] ?? '';
  return (tool) => {
    const { name, display_name, description } = tool.definition;
    const reached = connections?.some((each) => reaches(each, tool)) ?? !isDiscovered(tool);
    return (
      reached &&
      isOfProvider(tool.provider) &&
      isNamed(name) &&
      mentions(text, [name, display_name, description])
    );
  };
}

/** Each tool once for each account that can run it, account by account. */
function scopedTools(world: World, filter: ScopedFilter) {
  const names = (filter['filter.connection_names'] ?? []).filter(Boolean);
  const wanted = new Set(names.map((name) => connectionOf(world, name).id));
  requireAccount(world, filter.identifier);
  const isOfProvider = oneOf(filter['filter.providers']);
  const isNamed = oneOf(filter['filter.tool_names']);
  const accounts = activeAccounts(world, filter.identifier);
  return accounts.flatMap((account) => {
    const connection = connectionFor(world, account);
    if (wanted.size > 0 && !wanted.has(connection.id)) return [];
    return world.tools
      .list('provider', connection.provider_key)
      .filter((tool) => reaches(connection, tool))
      .filter((tool) => isOfProvider(tool.provider) && isNamed(tool.definition.name))
      .map((tool) => ({
        tool: viewTool(tool),
        identifier: account.identifier,
        connected_account_id: account.id,
      }));
  });
}

/** Whatever the case; nothing given lets everything pass. */
function oneOf(given: readonly string[] = []): (text: string) => boolean {
  const allowed = new Set(given.filter(Boolean).map((each) => each.toLowerCase()));
  return (text) => allowed.size === 0 || allowed.has(text.toLowerCase());
}

/** In a query a message is there where one of its fields is. */
function requireFilter(filter: ScopedFilter): void {
  const fields = ['filter.providers', 'filter.tool_names', 'filter.connection_names'] as const;
  if (fields.some((field) => filter[field] !== undefined)) return;
  throw missingFields('filter');
}
