import {
  type ContentBlock,
  createMcpHandler,
  isLegacyRequest,
  isSpecType,
  McpServer,
  ProtocolError,
  type Server,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import { serveStdio, StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { isObject } from '@understudy/text/json';

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
  content: ContentBlock[];
  structuredContent?: Record<string, unknown>;
  isError?: boolean;
  _meta?: Record<string, unknown>;
}

/** An error of JSON-RPC. */
export interface ToolCallError {
  refused: { code: number; message: string; data?: unknown };
}

/**
 * The content and the structured content of a tool's data that is a result of the protocol, such as
 * `{"content":[{"type":"image","data":"…","mimeType":"image/png"}]}`; undefined for other data.
 */
export function resultIn(data: unknown): Pick<ToolResult, 'content' | 'structuredContent'> | undefined {
  if (!isObject(data) || !Object.keys(data).every((key) => RESULT_KEYS.includes(key))) return undefined;
  const { content, structuredContent } = data;
  if (!Array.isArray(content) || !content.every((part) => isSpecType.ContentBlock(part))) return undefined;
  if (structuredContent === undefined) return { content };
  return isObject(structuredContent) ? { content, structuredContent } : undefined;
}

const RESULT_KEYS = ['content', 'structuredContent'];

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

/** Without changes to announce, the library accepts a subscription with nothing in it, and ends it at once. */
const statelessHandler = (tools: ToolServer) =>
  createMcpHandler(() => createServer(tools), { legacy: 'reject' });

/** Knows the schemas of the tools, so that the library compares the headers of `x-mcp-header` with the arguments. */
class ServerOfTools extends McpServer {
  #tools: readonly ShownTool[] = [];

  offer(tools: readonly ShownTool[]): void {
    this.#tools = tools;
    this.server.setRequestHandler('tools/list', () => ({ tools: [...tools] }));
  }

  override toolInputSchemaJson(name: string): Record<string, unknown> | undefined {
    return this.#tools.find((tool) => tool.name === name)?.inputSchema;
  }
}

/** Lists never change while a client waits, so nothing announces changes. The library announces them by default. */
const UNCHANGING = { listChanged: false };

function createServer(served: ToolServer): McpServer {
  const { name, title, version, instructions, tools, call, resources, prompts } = served;
  const capabilities = {
    tools: UNCHANGING,
    ...(resources && { resources: UNCHANGING }),
    ...(prompts && { prompts: UNCHANGING }),
  };
  const serverOfTools = new ServerOfTools(
    { name, version, ...(title !== undefined && { title }) },
    { capabilities, ...(instructions !== undefined && { instructions }) },
  );
  serverOfTools.offer(tools);
  const { server } = serverOfTools;
  server.setRequestHandler('tools/call', async ({ params }, { mcpReq }) => ({
    ...accepted(await call(params.name, params.arguments ?? {}, mcpReq.signal)),
  }));
  if (resources) serveResources(server, resources);
  if (prompts) servePrompts(server, prompts);
  return serverOfTools;
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
    serveStdio(() => createServer(served), { transport: new ClosingTransport(resolve) });
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
