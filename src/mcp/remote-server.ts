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

/** A server may list its tools in many pages. */
const MOST_PAGES = 50;

/** Connects to an MCP server, asks it once, and ends the session. Throws what the official client throws. */
export async function askServer(
  request: RemoteRequest,
  { url, headers, fetch, signal }: RemoteServer,
): Promise<unknown> {
  const client = new Client({ name: 'understudy', version: '1.0.0' });
  const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers }, fetch });
  try {
    await client.connect(transport, { signal });
    if (request.method === 'tools/call') return await client.callTool(request.params, { signal });
    return { tools: await listTools(client, signal) };
  } finally {
    await transport.terminateSession().catch(() => undefined); // a server need not have sessions
    await client.close();
  }
}

async function listTools(client: Client, signal: AbortSignal): Promise<unknown[]> {
  const tools: unknown[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const answer = await client.listTools(cursor === undefined ? {} : { cursor }, { signal });
    tools.push(...answer.tools);
    cursor = answer.nextCursor;
    if (cursor === undefined) break;
  }
  return tools;
}
