import type { RequestHandler } from 'express';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { BrowserGuard } from './browser-guard.ts';
import { refuse } from './sending.ts';
import { isForAgents } from '../control/agents.ts';

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
    if (refusal) return refuse(request, response, refusal, isForAgents(request.url) ? 'mcp' : 'envelope');
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
/** Documents that are equal for all callers, so no page needs credentials to read them. */
const PUBLIC_PATHS = /^\/(keys|(resources\/[^/?]+\/)?\.well-known\/)/;
const A_DAY = '86400';

/**
 * Any origin may call the endpoints of a browser's sign-in and read their answers; all others stay closed. Endpoints
 * that take a client's or a user's proof allow credentials. Unverified: as the zitadel/oidc library does.
 */
export const crossOrigin: RequestHandler = (request, response, next) => {
  const { origin } = request.headers;
  if (!origin || !BROWSER_PATHS.test(request.url)) return next();
  response.setHeader('access-control-allow-origin', origin);
  if (!PUBLIC_PATHS.test(request.url)) response.setHeader('access-control-allow-credentials', 'true');
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
