export interface ServedTool {
  /** As `tools/list` shows it. */
  shown: {
    name: string;
    title?: string;
    description: string;
    inputSchema: { type: 'object' };
    outputSchema?: { type: 'object' };
    annotations: { readOnlyHint: boolean };
  };
  /** The name of the connection whose account runs the tool. */
  connector: string;
  /** The account that the token names, else the user's account on the connection; absent if there is none. */
  connected_account_id?: string;
}

/** An MCP server as its caller may use it. */
export interface McpServer {
  /** The id of the row that the address stands for. */
  id: string;
  name: string;
  /** The user. */
  identifier: string;
  tools: readonly ServedTool[];
  /** The instance that its calls mark as used. */
  instance_id?: string;
}
