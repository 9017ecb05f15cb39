import type { RequestHandler } from 'express';

/** Paths that a single-page application calls from its own origin. */
const BROWSER_PATHS = /^\/(oauth\/token|keys|userinfo|revoke|oauth\/introspect|\.well-known\/[^?]+)(\?|$)/;
/** Documents that are equal for all callers, so no page needs credentials to read them. */
const PUBLIC_PATHS = /^\/(keys|\.well-known\/)/;
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
