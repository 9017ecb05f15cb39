import type { Env, Rows } from '../../state/env.ts';

type Connection = Rows['connections'];

/** Whether a provider or a tool that the environment does not have counts as a generic one. */
export const acceptsUnknown = (env: Env): boolean =>
  env.settings.get('settings').tools?.accept_unknown ?? false;

/** What a refusal adds, so that its reader knows how to go on. */
export const ACCEPT_PROVIDERS = 'the setting tools.accept_unknown takes any provider';

/** The name under which a connection shows a tool of its MCP server. */
export const toolName = ({ key_id = '' }: Connection, tool: string) => `c-${key_id}_${tool}`;

/** Gives a new connection to a provider with an MCP server the provider's tools, under the connection's own names. */
export function deriveTools(env: Env, connection: Connection): void {
  const { provider_key, key_id } = connection;
  if (key_id === undefined || !env.providers.find(provider_key)?.mcp) return;
  const prefix = `${provider_key.toLowerCase()}_`;
  for (const tool of env.tools.list('provider', provider_key)) {
    const { name } = tool.definition;
    if (!name.startsWith(prefix) || tool.connection_id) continue;
    const mcp_tool = name.slice(prefix.length).replaceAll('_', '-');
    const definition = { ...tool.definition, name: toolName(connection, mcp_tool) };
    if (env.tools.findBy('name', definition.name)) continue;
    env.tools.insert({ ...tool, id: env.draw.id('tol'), definition, connection_id: connection.id, mcp_tool });
  }
}

/** Tools of a connection are named after it. */
export function renameTools(env: Env, connection: Connection): void {
  for (const { id, definition, mcp_tool } of env.tools.list('connection_id', connection.id))
    if (mcp_tool)
      env.tools.update(id, { definition: { ...definition, name: toolName(connection, mcp_tool) } });
}
