import {
  createMcpHandler,
  isLegacyRequest,
  ProtocolError,
  Server,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';

/** What a server shows and does. The official library reads and checks the messages. */
export interface ToolServer {
  name: string;
  version: string;
  tools: readonly ShownTool[];
  /** Runs a tool. A failure of the tool is a result; `ToolCallError` refuses the call. */
  call: (name: string, args: Record<string, unknown>) => Promise<ToolResult | ToolCallError>;
}

export interface ShownTool {
  name: string;
  title?: string;
  description: string;
  inputSchema: { type: 'object' };
  outputSchema?: { type: 'object' };
  annotations?: { readOnlyHint?: boolean };
}

export interface ToolResult {
  content: { type: 'text'; text: string }[];
  structuredContent?: Record<string, unknown>;
  isError?: boolean;
  _meta?: Record<string, unknown>;
}

/** An error of JSON-RPC. */
export interface ToolCallError {
  refused: { code: number; message: string; data?: unknown };
}

/** Whether the client speaks a version that starts with `initialize` and has sessions (2025-11-25 and before). */
export const hasSessions = (request: Request): Promise<boolean> => isLegacyRequest(request);

/**
 * Answers one message. Each message gets a server of its own, because sessions are rows of the environment: any
 * replica can answer, and nothing is left when a client goes without a word.
 */
export async function answerMessage(
  request: Request,
  tools: ToolServer,
  withSession: boolean,
): Promise<Response> {
  if (!withSession) return await statelessHandler(tools).fetch(request);
  const server = createServer(tools);
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  await server.connect(transport);
  try {
    return await transport.handleRequest(request);
  } finally {
    await server.close();
  }
}

/** The lists never change while a client waits, so there is nothing to subscribe to. */
const statelessHandler = (tools: ToolServer) =>
  createMcpHandler(() => createServer(tools), {
    legacy: 'reject',
    maxSubscriptions: 0,
  });

function createServer({ name, version, tools, call }: ToolServer): Server {
  const server = new Server({ name, version }, { capabilities: { tools: {} } });
  server.setRequestHandler('tools/list', () => ({ tools: [...tools] }));
  server.setRequestHandler('tools/call', async ({ params }) => {
    const result = await call(params.name, params.arguments ?? {});
    if (!('refused' in result)) return { ...result };
    const { code, message, data } = result.refused;
    throw new ProtocolError(code, message, data);
  });
  return server;
}
