import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import { onTestFinished } from 'vitest';

interface Protection {
  /** The issuer of the tokens: the base URL of the service. */
  issuer: string;
  /** What this server publishes about itself (RFC 9728). */
  metadata: Record<string, unknown>;
  scope: string;
}

/** An MCP server that a developer protects: it publishes its metadata and takes tokens of the service. */
export interface ProtectedServer {
  url: string;
  /** Sets what the server is protected with. Before, it answers nothing but 401. */
  protect(protection: Protection): void;
  /** The claims of the tokens that it took. */
  taken: Record<string, unknown>[];
}

export async function protectedServer(): Promise<ProtectedServer> {
  let protection: Protection | undefined;
  const taken: Record<string, unknown>[] = [];
  const server = createServer((request, response) => {
    void answer(request).then(async (reply) => {
      response.writeHead(reply.status, Object.fromEntries(reply.headers));
      response.end(await reply.text());
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;

  async function answer(request: IncomingMessage): Promise<Response> {
    if (request.url === '/.well-known/oauth-protected-resource/mcp')
      return Response.json(protection?.metadata);
    if (request.url !== '/mcp') return new Response(null, { status: 404 });
    const claims = await claimsIn(request.headers.authorization);
    if (!claims) return unauthorized(url);
    taken.push(claims);
    return HANDLER.fetch(await webRequest(request, url));
  }

  async function claimsIn(authorization = '') {
    if (!protection) return undefined;
    const { issuer, scope } = protection;
    const keys = createRemoteJWKSet(new URL(`${issuer}/keys`));
    const token = authorization.replace(/^Bearer /, '');
    const verified = await jwtVerify(token, keys, { issuer, audience: url }).catch(() => undefined);
    const claims = verified?.payload;
    return String(claims?.['scope']).split(' ').includes(scope) ? claims : undefined;
  }

  return { url, taken, protect: (wanted) => void (protection = wanted) };
}

const unauthorized = (url: string) => {
  const metadata = new URL('/.well-known/oauth-protected-resource/mcp', url).href;
  return new Response(null, {
    status: 401,
    headers: { 'www-authenticate': `Bearer resource_metadata="${metadata}"` },
  });
};

const HANDLER = createMcpHandler(() => {
  const server = new McpServer({ name: 'todo', version: '1.0.0' });
  server.registerTool('list_todos', { description: 'Lists to-dos' }, () => ({
    content: [{ type: 'text', text: 'Water the plants' }],
  }));
  return server;
});

async function webRequest(request: IncomingMessage, url: string): Promise<Request> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  const { method = 'GET' } = request;
  const headers = Object.entries(request.headers).map(
    ([name, value]) => [name, String(value)] as [string, string],
  );
  return new Request(url, { method, headers, ...(method !== 'GET' && { body: Buffer.concat(chunks) }) });
}
