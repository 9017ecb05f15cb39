import {
  Client,
  StreamableHTTPClientTransport,
  UnauthorizedError,
  type OAuthClientInformationMixed,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  type OAuthTokens,
} from '@modelcontextprotocol/client';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Browser } from '../../../../test/support/browser.ts';
import { bootPort, type McpBooted } from '../../../../test/support/mcp.ts';
import { protectedServer } from '../../../../test/support/protected-server.ts';
import { receiver } from '../../../../test/support/receiver.ts';
import { ADA, CALLBACK, type aResource } from '../../../../test/support/resources.ts';

const fresh = bootPort();

/** What an agent keeps between its steps. */
class Keeper implements OAuthClientProvider {
  readonly redirectUrl = CALLBACK;
  readonly clientMetadata = {
    client_name: 'Laptop agent',
    redirect_uris: [CALLBACK],
    grant_types: ['authorization_code', 'refresh_token'],
    token_endpoint_auth_method: 'none',
  };
  visited: URL | undefined;
  kept: OAuthTokens | undefined;
  client: OAuthClientInformationMixed | undefined;
  #verifier = '';
  #discovery: OAuthDiscoveryState | undefined;

  state = () => 'kept';
  clientInformation = () => this.client;
  saveClientInformation = (client: OAuthClientInformationMixed) => void (this.client = client);
  tokens = () => this.kept;
  saveTokens = (tokens: OAuthTokens) => void (this.kept = tokens);
  redirectToAuthorization = (address: URL) => void (this.visited = address);
  saveCodeVerifier = (verifier: string) => void (this.#verifier = verifier);
  codeVerifier = () => this.#verifier;
  saveDiscoveryState = (state: OAuthDiscoveryState) => void (this.#discovery = state);
  discoveryState = () => this.#discovery;
}

/** A server that is protected by a resource of a fresh environment. No call of its clients names the environment. */
async function protect(booted: McpBooted, wanted: object = {}) {
  const base = new URL(booted.at('http://x/')).origin;
  const server = await protectedServer();
  const { body } = await booted.api
    .post('/api/v1/resources')
    .set('host', new URL(base).host)
    .send({
      name: 'To-dos',
      resource_type: 'MCP_SERVER',
      resource_uri: server.url,
      scopes: ['todo:read'],
      ...wanted,
    })
    .expect(201);
  server.protect({ issuer: base, metadata: body.resource.protected_metadata, scope: 'todo:read' });
  return { server, base, resource: body.resource as Awaited<ReturnType<typeof aResource>> };
}

async function connect(url: string, keeper: Keeper) {
  const client = new Client(
    { name: 'agent', version: '1.0.0' },
    { versionNegotiation: { mode: { pin: '2026-07-28' } } },
  );
  const transport = new StreamableHTTPClientTransport(new URL(url), { authProvider: keeper });
  onTestFinished(() => client.close());
  return { client, transport, done: client.connect(transport) };
}

/** Connects, sends the user to the browser, and connects again with the tokens. */
async function signIn(booted: McpBooted, url: string, base: string, keeper: Keeper) {
  const first = await connect(url, keeper);
  await expect(first.done).rejects.toThrow(UnauthorizedError);
  const page = await new Browser(booted, base).open(keeper.visited!.href);
  const visit = await (await page.submit({ user_id: ADA.id })).submit({ decision: 'allow' });
  await first.transport.finishAuth(new URL(visit.url).searchParams);
  const second = await connect(url, keeper);
  await second.done;
  return second.client;
}

describe('The official MCP client', () => {
  it('signs in from nothing but the URL of a protected server, and refreshes its tokens', async () => {
    const booted = await fresh();
    const { server, base, resource } = await protect(booted, { access_token_expiry: 60 });
    const keeper = new Keeper();

    const client = await signIn(booted, server.url, base, keeper);
    const answer = await client.callTool({ name: 'list_todos', arguments: {} });

    expect(answer.content).toEqual([{ type: 'text', text: 'Water the plants' }]);
    expect(server.taken[0]).toMatchObject({
      sub: ADA.id,
      aud: [server.url, resource.id],
      scope: 'todo:read',
    });
    expect(keeper.client?.client_id).toMatch(/^m2m_/);
    const before = keeper.kept!;
    keeper.kept = { ...before, access_token: 'gone' };
    await client.listTools();
    expect(keeper.kept).toMatchObject({ refresh_token: expect.not.stringMatching(before.refresh_token!) });
  });

  it('keeps two sessions with one refresh token in the grace period', async () => {
    const booted = await fresh();
    const { server, base } = await protect(booted);
    const keeper = new Keeper();
    const first = await signIn(booted, server.url, base, keeper);
    const refresh_token = keeper.kept!.refresh_token!;
    const second = await connect(server.url, keeper);
    await second.done;

    for (const client of [first, second.client]) {
      keeper.kept = { ...keeper.kept!, access_token: 'gone', refresh_token };
      await client.listTools();
      expect(keeper.kept.access_token).not.toBe('gone');
    }
  });

  it('needs no registration if its client id is the address of a metadata document', async () => {
    const booted = await fresh();
    const { server, base, resource } = await protect(booted, { enable_cimd: true });
    const { authorization_servers } = resource.protected_metadata;
    const document = await receiver();
    const url = document.url.replace('127.0.0.1', 'localhost');
    document.answers({ client_id: url, client_name: 'Desk agent', redirect_uris: [CALLBACK] });
    const keeper = new Keeper();
    const [issuer = ''] = authorization_servers;
    keeper.client = { client_id: url, issuer };

    const client = await signIn(booted, server.url, base, keeper);
    await client.listTools();

    expect(server.taken[0]).toMatchObject({ client_id: url });
  });
});
