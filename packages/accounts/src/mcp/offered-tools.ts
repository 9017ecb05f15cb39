import { invalidArgument } from '@understudy/core/contract/errors';
import type { Rows } from '@understudy/core/state/env';
import type { Env } from '@understudy/core/state/env';
import { shortened } from '@understudy/text/suggestion';
import { acceptsUnknown } from '@understudy/core/operations/connections/provider-tools';
import { ACCEPT_TOOLS } from '../tools/generic-tools.ts';
import { toolNamed } from '../tools/connection-tools.ts';
import { accountsNamed, preferredAccount } from '../accounts/account-selection.ts';

type Account = Rows['connected_accounts'];

/** The connections and tools that a server offers. */
export type OfferedTools = Pick<Rows['mcp_configs'], 'connection_ids' | 'tools'>;

/** One connection of a request; without tools it means all of its tools. */
interface RequestedConnection {
  connection_name: string;
  tools?: readonly string[] | undefined;
}

/**
 * Unverified (mcp/unknown-connection-or-tool): an unknown connection or tool is a bad request; the docs give no status.
 */
export function readOfferedTools(env: Env, offered: readonly RequestedConnection[]): OfferedTools {
  const tools: OfferedTools['tools'] = {};
  const connection_ids = offered.map(({ connection_name, tools: names = [] }) => {
    const connection = env.connections.findBy('key_id', connection_name);
    if (!connection)
      throw invalidArgument(`connection not found for key: ${shortened(connection_name)}`).decidedBy(
        'mcp/unknown-connection-or-tool',
      );
    for (const name of names) checkTool(env, connection, name);
    if (names.length > 0) tools[connection.id] = [...new Set(names)];
    return connection.id;
  });
  const seen = new Set<string>();
  const twice = offered.find((_, index) => seen.size === seen.add(connection_ids[index]!).size);
  if (twice) throw invalidArgument(`connection ${twice.connection_name} is mapped more than once`);
  return { connection_ids, tools };
}

function checkTool(env: Env, { key_id, provider_key }: Rows['connections'], name: string): void {
  const tool = toolNamed(env, name);
  if (!tool && acceptsUnknown(env)) return;
  if (!tool)
    throw invalidArgument(`tool not found: ${shortened(name)}; ${ACCEPT_TOOLS}`).decidedBy(
      'mcp/unknown-connection-or-tool',
    );
  if (tool.provider !== provider_key)
    throw invalidArgument(`tool ${name} is of ${tool.provider}, connection ${key_id} of ${provider_key}`);
}

/** If a user is given, also the state of that user's account on each connection. */
export function viewOfferedTools(env: Env, { connection_ids, tools }: OfferedTools, identifier?: string) {
  return connection_ids.map((connection_id) => {
    const { key_id = '', provider_key } = env.connections.get(connection_id);
    const account = identifier === undefined ? undefined : accountOn(env, connection_id, identifier);
    return {
      connection_id,
      connection_name: key_id,
      provider: provider_key,
      tools: tools[connection_id] ?? [],
      ...(account && { connected_account_id: account.id, connected_account_status: account.status }),
    };
  });
}

export const accountOn = (env: Env, connection_id: string, identifier: string): Account | undefined =>
  preferredAccount(accountsNamed(env, connection_id, identifier));
