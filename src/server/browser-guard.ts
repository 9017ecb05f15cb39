import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { isIP } from 'node:net';
import type { RequestHandler } from 'express';
import { type Config, ConfigError } from '../start/config.ts';
import { ApiError } from '../contract/errors.ts';
import { header } from '../pipeline/call.ts';
import { authorityOf } from './address.ts';
import { isRpc } from './request.ts';
import { refuse } from './sending.ts';
import { DIALECTS } from '../pipeline/dialects.ts';

type BrowserSettings = Pick<Config, 'baseUrl' | 'trustProxy' | 'tls' | 'allowHosts' | 'controlOrigins'>;

/** A request without a host, as HTTP/1.0 allows, counts as sent to this machine. */
const THIS_MACHINE = 'localhost';

type Request = Pick<IncomingMessage, 'headers' | 'method'>;

/**
 * Keeps web pages of other sites from controlling the simulator, either by cross-site calls or by a name of theirs that
 * they point at this machine (DNS rebinding). It only affects browsers.
 */
export class BrowserGuard {
  readonly #hosts: OwnHosts;
  readonly #origins: ReadonlySet<string>;
  readonly #baseHost: string | undefined;
  readonly #trustProxy: boolean;

  /** Throws ConfigError for an invalid flag. */
  constructor({ baseUrl, trustProxy, tls, allowHosts, controlOrigins }: BrowserSettings) {
    this.#baseHost = baseUrl === undefined ? undefined : new URL(baseUrl).host;
    this.#trustProxy = trustProxy;
    const base = this.#baseHost === undefined ? [] : [this.#baseHost];
    this.#hosts = new OwnHosts([...base, ...tls.hosts, ...readAllowedHosts(allowHosts)]);
    this.#origins = new Set(readOrigins(controlOrigins));
  }

  /** Whether `--control-origin` names this origin: its pages may call the control API and read the answers. */
  allows(origin: string | undefined): origin is string {
    return origin !== undefined && this.#origins.has(origin);
  }

  /** Why the control API refuses this call; undefined if it accepts the call. */
  controlRefusal(request: Request): ApiError | undefined {
    const foreign = isBrowser(request) ? this.#unknownHost(request) : undefined;
    const host = foreign ?? (isLikelyBrowser(request) ? this.#rebindableHost(request) : undefined);
    return host === undefined ? this.#originRefusal(request) : misdirected('the control API', host);
  }

  /** Why the service's API refuses this call. Web pages are not meant to call it. */
  serviceRefusal(request: Request): ApiError | undefined {
    if (!isBrowser(request) && !isLikelyBrowser(request)) return undefined;
    const host = this.#rebindableHost(request);
    return host === undefined ? undefined : misdirected('the API', host);
  }

  /**
   * Why an MCP server refuses this call: a page of another site sends it (the protocol's transport demands this check).
   * Pages of this machine and of its own hosts may.
   */
  agentRefusal({ headers: { origin } }: Request): ApiError | undefined {
    if (origin === undefined || this.allows(origin)) return undefined;
    const isOwn = URL.canParse(origin) && this.#hosts.has(hostNameOf(new URL(origin).host));
    return isOwn ? undefined : foreignOrigin(origin, 'an MCP server');
  }

  /** The host that the browser called, if it is not one of the server's own. */
  #unknownHost(request: Request): string | undefined {
    const foreign = this.#askedHosts(request).find((name) => !this.#hosts.has(name));
    return foreign ?? this.#rebindableHost(request);
  }

  /** The owner of a public name can point it at this server. Behind a proxy, a page could also forge the forwarded headers. */
  #rebindableHost(request: Request): string | undefined {
    const names = [...this.#askedHosts(request), hostNameOf(authorityOf(request) ?? THIS_MACHINE)];
    return names.find((name) => isPublicName(name) && !this.#hosts.has(name));
  }

  #askedHosts({ headers }: Request): string[] {
    return this.#authorities(headers).map(hostNameOf);
  }

  #authorities(headers: IncomingHttpHeaders): string[] {
    const forwarded = this.#trustProxy ? header({ headers }, 'x-forwarded-host') : undefined;
    return (forwarded ?? authorityOf({ headers }) ?? THIS_MACHINE).split(',').map((each) => each.trim());
  }

  #originRefusal(request: Request): ApiError | undefined {
    const { origin } = request.headers;
    if (origin !== undefined)
      return this.allows(origin) || this.#isOwnOrigin(origin, request)
        ? undefined
        : foreignOrigin(origin, 'the control API');
    const site = header(request, 'sec-fetch-site') ?? 'none';
    const isOwn = site === 'none' || site === 'same-origin';
    return isOwn || isReadingNavigation(request) ? undefined : otherSite(site);
  }

  /** The port serves http and https, so the scheme makes no difference. */
  #isOwnOrigin(origin: string, { headers }: Request): boolean {
    if (!URL.canParse(origin)) return false;
    const { protocol, host } = new URL(origin);
    const own = this.#authorities(headers).map((authority) => hostIn(`${protocol}//${authority}`));
    return host !== '' && [...own, this.#baseHost].includes(host);
  }
}

/** Programs call these paths with credentials; web pages do not. */
const SERVICE_API = /^\/(api|proxy|mcp)\//i;
const MCP = /^\/mcp\//i;

/** Refuses API calls and RPCs that a web page sends to a host name which is not one of the server's own. */
export const refusePages =
  (guard: BrowserGuard): RequestHandler =>
  (request, response, next) => {
    const isApi = SERVICE_API.test(request.url) || isRpc(request);
    const refusal = isApi ? guard.serviceRefusal(request) : undefined;
    if (refusal) return refuse(request, response, refusal);
    const unfit = MCP.test(request.url) ? guard.agentRefusal(request) : undefined;
    if (unfit) return refuse(request, response, unfit, DIALECTS.mcp);
    return next();
  };

/** Leaves out the default port of the scheme. */
const hostIn = (address: string) => (URL.canParse(address) ? new URL(address).host : '');

/** Headers that only browsers send. Sec-Fetch-Mode is not among them, because Node's fetch sends it too. */
const isBrowser = ({ headers }: Request): boolean =>
  headers.origin !== undefined ||
  headers['sec-fetch-site'] !== undefined ||
  headers['sec-fetch-dest'] !== undefined;

/**
 * A same-origin GET to a plain http address that is not this machine carries none of these headers. But browsers always
 * send Accept-Language; programs do not, except Node's fetch, which also sends Sec-Fetch-Mode.
 */
const isLikelyBrowser = ({ headers }: Request): boolean =>
  headers['accept-language'] !== undefined && headers['sec-fetch-mode'] === undefined;

/** A followed link is harmless: the page with the link cannot read the answer, and a GET changes nothing. */
const isReadingNavigation = (request: Request): boolean =>
  (request.method === 'GET' || request.method === 'HEAD') &&
  header(request, 'sec-fetch-mode') === 'navigate' &&
  header(request, 'sec-fetch-dest') === 'document';

const misdirected = (what: string, host: string) =>
  new ApiError(
    'misdirected_request',
    `${what} does not answer browsers at the host ${host}: start with --allow-host ${host} if it is yours`,
  );

const foreignOrigin = (origin: string, what: string) =>
  new ApiError(
    'permission_denied',
    origin === 'null'
      ? `${what} does not answer web pages without an origin (Origin: null): serve the page from one, and name it with --control-origin`
      : `${what} does not answer web pages of ${origin}: start with --control-origin ${origin} if they are yours`,
  );

const otherSite = (site: string) =>
  new ApiError(
    'permission_denied',
    `the control API does not answer web pages of other origins (Sec-Fetch-Site: ${site}): start with --control-origin and the origin of the page, and call with CORS`,
  );

/** Where coding agents reach the simulator over the Model Context Protocol. */
export const FOR_AGENTS = /^\/_control\/mcp\/?$/;

const isForAgents = (url = ''): boolean => FOR_AGENTS.test(url.split('?')[0]!);

/** Pages of other origins must not show an answer in a frame or load it as an image or script. */
const SHIELD = {
  'content-security-policy': "frame-ancestors 'none'",
  'x-frame-options': 'DENY',
  'cross-origin-resource-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
};

const METHODS = 'GET, POST, PUT, PATCH, DELETE';
const TEN_MINUTES = '600';

type Handle = (request: IncomingMessage, response: ServerResponse, next: () => void) => void;

/** Guards the control API. Refuses a call before its body is read. */
export const guardControl =
  (guard: BrowserGuard): Handle =>
  (request, response, next) => {
    for (const [name, value] of Object.entries(SHIELD)) response.setHeader(name, value);
    const refusal = guard.controlRefusal(request);
    if (refusal)
      return refuse(request, response, refusal, DIALECTS[isForAgents(request.url) ? 'mcp' : 'control']);
    const { origin } = request.headers;
    if (guard.allows(origin) && admitOrigin(origin, request, response)) return undefined;
    return next();
  };

/** Answers a preflight request and returns true; returns false for any other request. */
function admitOrigin(origin: string, request: IncomingMessage, response: ServerResponse): boolean {
  response.setHeader('access-control-allow-origin', origin);
  response.setHeader('vary', 'origin');
  if (request.method !== 'OPTIONS' || !request.headers['access-control-request-method']) return false;
  response.setHeader('access-control-allow-methods', METHODS);
  response.setHeader('access-control-max-age', TEN_MINUTES);
  const headers = request.headers['access-control-request-headers'];
  if (headers) response.setHeader('access-control-allow-headers', headers);
  // Browsers send this before a public page calls a local address (Private Network Access).
  if (request.headers['access-control-request-private-network'])
    response.setHeader('access-control-allow-private-network', 'true');
  response.writeHead(204).end();
  return true;
}

/** Paths that a single-page application calls from its own origin. */
const BROWSER_PATHS =
  /^\/(((resources\/[^/?]+\/)?(oauth\/token|\.well-known\/[^?]+))|keys|userinfo|revoke|oauth\/introspect|api\/v1\/resources\/[^/?]+\/clients:register)(\?|$)/;
const A_DAY = '86400';

/**
 * Any origin may call the endpoints of a browser's sign-in and read their answers; all others stay closed. No endpoint
 * allows credentials, which are a browser's cookies: what proves a client or a user is in the body or in `Authorization`.
 */
export const crossOrigin: RequestHandler = (request, response, next) => {
  const { origin } = request.headers;
  if (!origin || !BROWSER_PATHS.test(request.url)) return next();
  response.setHeader('access-control-allow-origin', origin);
  response.setHeader('vary', 'origin');
  const method = request.headers['access-control-request-method'];
  if (request.method !== 'OPTIONS' || !method) return next();
  // A preflight request is not a call of the service, so the journal does not list it.
  response.setHeader('access-control-allow-methods', method);
  response.setHeader('access-control-max-age', A_DAY);
  const headers = request.headers['access-control-request-headers'];
  if (headers) response.setHeader('access-control-allow-headers', headers);
  response.writeHead(204).end();
};

/** A host name must not end in a number, because it would then be an address. */
const NAME = /^(?!(.*\.)?\d+$)(\*\.)?[a-z0-9_-]+(\.[a-z0-9_-]+)*$/i;
const LOOPBACK = /^(?:localhost|.+\.localhost|127(?:\.\d+){3}|::1)$/;

/** The host of a `Host` header or of an authority: lower case, without port, brackets and last dot. */
function hostNameOf(authority: string): string {
  const [, bracketed, plain = authority] = /^(?:\[([^\]]*)\]|([^:]*))(?::\d*)?$/.exec(authority) ?? [];
  return (bracketed ?? plain).toLowerCase().replace(/\.$/, '');
}

/** The server's own hosts: this machine and the names given at the start. No answer of a DNS server adds one. */
class OwnHosts {
  readonly #names: ReadonlySet<string>;
  readonly #endings: readonly string[];

  /** Names and addresses. `*.app.example` covers every name below `app.example`. */
  constructor(hosts: readonly string[]) {
    const names = hosts.map(hostNameOf);
    this.#names = new Set(names.filter((name) => !name.startsWith('*.')));
    this.#endings = names.filter((name) => name.startsWith('*.')).map((name) => name.slice(1));
  }

  has(name: string): boolean {
    return (
      LOOPBACK.test(name) || this.#names.has(name) || this.#endings.some((ending) => name.endsWith(ending))
    );
  }
}

/** Whether somebody else can own the name and point it at this server. False for addresses and for names of local networks. */
const isPublicName = (name: string): boolean => name.includes('.') && isIP(name) === 0;

/** Throws ConfigError if a name is not a host name. */
function readAllowedHosts(hosts: readonly string[]): readonly string[] {
  for (const host of hosts)
    if (!NAME.test(host) && isIP(host) === 0)
      throw new ConfigError(
        `--allow-host: ${host} is not a host: it must be a name (understudy, app.example, *.app.example) or an address, without a port`,
      );
  return hosts;
}

/** Returns the origins as browsers write them. Throws ConfigError for anything else. */
function readOrigins(origins: readonly string[]): readonly string[] {
  return origins.map((text) => {
    const url = URL.canParse(text) ? new URL(text) : undefined;
    const isWeb = url?.protocol === 'http:' || url?.protocol === 'https:';
    if (url && isWeb && `${url.origin}/` === url.href) return url.origin;
    throw new ConfigError(
      `--control-origin: ${text} is not an origin: it must be a scheme, a host and a port if it has one, such as http://localhost:3000`,
    );
  });
}
