import { invalidArgument } from '@understudy/core/contract/errors';
import { selectAccount } from '../accounts/account-selection.ts';
import type { Operations } from '@understudy/core/operations/handler';
import { refreshTools } from './connection-tools.ts';
import { canRun, viewTool } from './tool-lists.ts';

export const toolRefresh = {
  ToolService_RefreshTools({ body }, env) {
    const account = selectAccount(env, { ...body, id: body.connected_account_id });
    const connection = env.connections.get(account.connection_id);
    const { mcp_server_url, key_id, provider_key } = connection;
    const provider = env.providers.find(provider_key);
    if (mcp_server_url === undefined && !provider?.mcp)
      throw invalidArgument(
        `connection ${key_id ?? connection.id} of account ${account.id} has no MCP server: there are no tools to read`,
      );
    if (mcp_server_url !== undefined) refreshTools(env, connection, account);
    const own = env.tools.list('provider', provider_key).filter((tool) => canRun(connection, tool));
    return { tools: own.map(viewTool), total_size: own.length };
  },
} satisfies Partial<Operations>;
