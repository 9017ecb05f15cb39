import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { decodeJwt } from 'jose';
import * as oidc from 'openid-client';
import { onTestFinished } from 'vitest';
import { html } from '../../../src/pages/html.ts';

export interface Credentials {
  client_id: string;
  /** A public client has none. */
  client_secret?: string;
}

type Tokens = oidc.TokenEndpointResponse & oidc.TokenEndpointResponseHelpers;

/** A sign-in that has started and has not returned yet. */
interface Begun {
  verifier: string;
  nonce: string;
}

/**
 * An application that signs its users in with `openid-client`, as its documentation shows. The only option
 * is `allowInsecureRequests`, which allows plain http.
 */
export class RelyingParty {
  readonly url: string;
  readonly #config: oidc.Configuration;
  readonly #begun = new Map<string, Begun>();
  /** The tokens of the latest sign-in or refresh. */
  tokens: Tokens | undefined;
  /** The address that the callback and `/home` redirect to, such as a front end of another origin. Without it, they show a page. */
  leadsTo: string | undefined;
  /** The request bodies that `/back-channel` received. */
  readonly backChannel: string[] = [];

  private constructor(url: string, config: oidc.Configuration) {
    this.url = url;
    this.#config = config;
  }

  static async start(issuer: string, { client_id, client_secret }: Credentials): Promise<RelyingParty> {
    const authentication = client_secret ? undefined : oidc.None();
    const config = await oidc.discovery(new URL(issuer), client_id, client_secret, authentication, {
      execute: [oidc.allowInsecureRequests],
    });
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    const { port } = server.address() as AddressInfo;
    const party = new RelyingParty(`http://127.0.0.1:${port}`, config);
    server.on('request', (request, response) => void party.#serve(request, response));
    return party;
  }

  get callback(): string {
    return `${this.url}/callback`;
  }

  get claims(): oidc.IDToken {
    return this.tokens!.claims()!;
  }

  /** Exchanges the refresh token for the next one; throws the errors of `openid-client`. */
  async refresh(refresh_token = this.tokens!.refresh_token!): Promise<Tokens> {
    return (this.tokens = await oidc.refreshTokenGrant(this.#config, refresh_token));
  }

  userinfo(): Promise<oidc.UserInfoResponse> {
    return oidc.fetchUserInfo(this.#config, this.tokens!.access_token, this.claims.sub);
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', this.url);
    try {
      if (url.pathname === '/login') await this.#login(url, response);
      else if (url.pathname === '/callback') await this.#signIn(url, request, response);
      else if (url.pathname === '/initiate') await this.#initiate(url, response);
      else if (url.pathname === '/logout') this.#logout(response);
      else if (url.pathname === '/back-channel') this.backChannel.push(await bodyOf(request));
      else if (url.pathname === '/frame') showFrame(response, url.searchParams.get('of') ?? '');
      else if (url.pathname === '/home') this.#show(response, 'Home of the application');
      else show(response, 404, 'No such page');
    } catch (thrown) {
      // An OAuth error has a code and a description; any other error comes from the library.
      const { error, error_description, message, code } = thrown as Record<string, string>;
      show(response, 400, 'Not signed in', [error ?? code, error_description ?? message].join(': '));
    }
    if (!response.writableEnded) response.end();
  }

  /** Starts a sign-in. Query parameters such as `login_hint` are added to the authorization request. */
  async #login({ searchParams }: URL, response: ServerResponse): Promise<void> {
    const [verifier, state, nonce] = [oidc.randomPKCECodeVerifier(), oidc.randomState(), oidc.randomNonce()];
    this.#begun.set(state, { verifier, nonce });
    const address = oidc.buildAuthorizationUrl(this.#config, {
      redirect_uri: this.callback,
      scope: 'openid profile email offline_access',
      code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      state,
      nonce,
      ...Object.fromEntries(searchParams),
    });
    const cookie = `begun=${state}; HttpOnly; SameSite=Lax; Path=/callback`;
    response.writeHead(302, { location: address.href, 'set-cookie': cookie }).end();
  }

  /** Handles a sign-in that starts at the identity provider: the browser arrives with a signed token. */
  async #initiate({ searchParams }: URL, response: ServerResponse): Promise<void> {
    const { connection_id, login_hint } = decodeJwt(searchParams.get('idp_initiated_login') ?? '');
    const asked = new URLSearchParams({
      connection_id: String(connection_id),
      login_hint: String(login_hint),
    });
    await this.#login(new URL(`/login?${asked}`, this.url), response);
  }

  async #signIn(url: URL, { headers }: IncomingMessage, response: ServerResponse): Promise<void> {
    const state = /begun=([^;]+)/.exec(headers.cookie ?? '')?.[1] ?? '';
    const begun = this.#begun.get(state);
    this.#begun.delete(state);
    if (!begun) throw new Error('this browser has not begun to sign in');
    this.tokens = await oidc.authorizationCodeGrant(this.#config, url, {
      pkceCodeVerifier: begun.verifier,
      expectedState: state,
      expectedNonce: begun.nonce,
      idTokenExpected: true,
    });
    const { email = '', sub } = this.claims as oidc.IDToken & { email?: string };
    this.#show(response, 'Signed in', `You are ${email || sub}.`);
  }

  #show(response: ServerResponse, heading: string, text?: string): void {
    if (this.leadsTo === undefined) show(response, 200, heading, text);
    else response.writeHead(302, { location: this.leadsTo }).end();
  }

  #logout(response: ServerResponse): void {
    const address = oidc.buildEndSessionUrl(this.#config, {
      id_token_hint: this.tokens?.id_token ?? '',
      post_logout_redirect_uri: `${this.url}/home`,
      state: 'bye',
    });
    response.writeHead(302, { location: address.href }).end();
  }
}

function show(response: ServerResponse, status: number, heading: string, text = ''): void {
  const page = html`<!doctype html>
    <html lang="en">
      <title>${heading}</title>
      <link rel="icon" href="data:," />
      <h1>${heading}</h1>
      <p>${text}</p>
    </html> `;
  response.writeHead(status, { 'content-type': 'text/html; charset=utf-8' }).end(page.text);
}

/** Shows another page in a frame, and lists the events that it posts. */
function showFrame(response: ServerResponse, address: string): void {
  const page = html`<!doctype html>
    <html lang="en">
      <title>Settings</title>
      <link rel="icon" href="data:," />
      <iframe title="Portal" src="${address}" width="900" height="700"></iframe>
      <ol></ol>
      <script>
        addEventListener('message', ({ origin, data }) => {
          const told = document.createElement('li');
          told.textContent = origin + ' ' + data.event_type;
          document.querySelector('ol').append(told);
        });
      </script>
    </html> `;
  response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(page.text);
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) text += chunk;
  return text;
}
