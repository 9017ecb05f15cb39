import { CustomReply } from '../handler.ts';

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

/** A message for an MCP server. The pipeline answers it after the unit of work, because tools are calls of their own. */
export class McpMessage extends CustomReply {
  readonly server: McpServer;
  readonly message: unknown;

  constructor(server: McpServer, message: unknown) {
    super(200, { 'content-type': 'application/json' }, '');
    this.server = server;
    this.message = message;
  }
}
