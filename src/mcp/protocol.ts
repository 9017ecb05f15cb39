import {
  createMcpHandler,
  isLegacyRequest,
  ProtocolError,
  Server,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import { serveStdio, StdioServerTransport } from '@modelcontextprotocol/server/stdio';

/** What a server shows and does. The official library reads and checks the messages. */
export interface ToolServer {
  name: string;
  title?: string;
  version: string;
  /** What a model is told when it connects. */
  instructions?: string;
  tools: readonly ShownTool[];
  /** Runs a tool. A failure of the tool is a result; `ToolCallError` refuses the call. */
  call: (
    name: string,
    args: Record<string, unknown>,
    signal: AbortSignal,
  ) => Promise<ToolResult | ToolCallError>;
  resources?: ShownResources;
  prompts?: ShownPrompts;
}

export interface ShownResources {
  templates: readonly (ShownResource & { uriTemplate: string })[];
  list: (signal: AbortSignal) => Promise<(ShownResource & { uri: string })[]>;
  read: (
    uri: string,
    signal: AbortSignal,
  ) => Promise<{ uri: string; mimeType: string; text: string } | ToolCallError>;
}

interface ShownResource {
  name: string;
  title: string;
  description?: string;
  mimeType: string;
}

export interface ShownPrompts {
  list: readonly {
    name: string;
    title: string;
    description: string;
    arguments: { name: string; description: string; required: boolean }[];
  }[];
  text: (name: string, args: Record<string, string>) => Promise<string | ToolCallError>;
}

export interface ShownTool {
  name: string;
  title?: string;
  description: string;
  inputSchema: { type: 'object' };
  outputSchema?: { type: 'object' };
  annotations?: {
    title?: string;
    readOnlyHint?: boolean;
    destructiveHint?: boolean;
    idempotentHint?: boolean;
    openWorldHint?: boolean;
  };
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

export function createServer(served: ToolServer): Server {
  const { name, title, version, instructions, tools, call, resources, prompts } = served;
  const capabilities = {
    tools: {},
    ...(resources && { resources: {} }),
    ...(prompts && { prompts: {} }),
  };
  const server = new Server(
    { name, version, ...(title !== undefined && { title }) },
    { capabilities, ...(instructions !== undefined && { instructions }) },
  );
  server.setRequestHandler('tools/list', () => ({ tools: [...tools] }));
  server.setRequestHandler('tools/call', async ({ params }, { mcpReq }) => ({
    ...accepted(await call(params.name, params.arguments ?? {}, mcpReq.signal)),
  }));
  if (resources) serveResources(server, resources);
  if (prompts) servePrompts(server, prompts);
  return server;
}

function serveResources(server: Server, { templates, list, read }: ShownResources): void {
  server.setRequestHandler('resources/list', async (_, { mcpReq }) => ({
    resources: await list(mcpReq.signal),
  }));
  server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: [...templates] }));
  server.setRequestHandler('resources/read', async ({ params }, { mcpReq }) => ({
    contents: [accepted(await read(params.uri, mcpReq.signal))],
  }));
}

function servePrompts(server: Server, { list, text }: ShownPrompts): void {
  server.setRequestHandler('prompts/list', () => ({ prompts: [...list] }));
  server.setRequestHandler('prompts/get', async ({ params }) => ({
    messages: [
      {
        role: 'user' as const,
        content: { type: 'text' as const, text: accepted(await text(params.name, params.arguments ?? {})) },
      },
    ],
  }));
}

/** Throws the protocol's error for what is refused. */
function accepted<T>(result: T | ToolCallError): T {
  if (!isRefusal(result)) return result;
  const { code, message, data } = result.refused;
  throw new ProtocolError(code, message, data);
}

const isRefusal = (result: unknown): result is ToolCallError =>
  typeof result === 'object' && result !== null && 'refused' in result;

/** Speaks the protocol over stdin and stdout of this process until the client closes them. */
export const serveOverStdio = (served: ToolServer): Promise<void> =>
  new Promise((resolve) => {
    serveStdio(() => createServer(served), { transport: new ClosingTransport(resolve), maxSubscriptions: 0 });
  });

/** The library has no event for the end of a connection. */
class ClosingTransport extends StdioServerTransport {
  readonly #closed: () => void;

  constructor(closed: () => void) {
    super();
    this.#closed = closed;
  }

  override async close(): Promise<void> {
    await super.close();
    this.#closed();
  }
}
