import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

/** What the service asks an MCP server. */
export type RemoteRequest =
  | { method: 'tools/list' }
  | { method: 'tools/call'; params: { name: string; arguments: Record<string, unknown> } };

export interface RemoteServer {
  url: string;
  headers: Readonly<Record<string, string>>;
  fetch: typeof fetch;
  signal: AbortSignal;
}

/** Of a list of tools. A server that names a next page forever must not be asked forever. */
const MOST_PAGES = 50;

/** Connects to an MCP server, asks it once, and ends the session. Throws what the official client throws. */
export async function askServer(
  request: RemoteRequest,
  { url, headers, fetch, signal }: RemoteServer,
): Promise<unknown> {
  const client = new Client(
    { name: 'understudy', version: '1.0.0' },
    { listMaxPages: MOST_PAGES, versionNegotiation: { mode: 'auto' } },
  );
  const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers }, fetch });
  try {
    await client.connect(transport, { signal }).catch(rethrowCause);
    if (request.method === 'tools/call') return await client.callTool(request.params, { signal });
    return { tools: (await client.listTools({}, { signal })).tools };
  } finally {
    await transport.terminateSession().catch(() => undefined); // a server need not have sessions
    await client.close();
  }
}

/** The client wraps what stops its first request in an error of its own, such as a refused connection. */
function rethrowCause(thrown: Error): never {
  throw thrown.cause instanceof Error ? thrown.cause : thrown;
}
