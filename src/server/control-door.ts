import type { IncomingMessage, ServerResponse } from 'node:http';
import type { BrowserGuard } from './browser-guard.ts';
import { refuse } from './sending.ts';

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
export const controlDoor =
  (guard: BrowserGuard): Handle =>
  (request, response, next) => {
    for (const [name, value] of Object.entries(SHIELD)) response.setHeader(name, value);
    const refusal = guard.controlRefusal(request);
    if (refusal) return refuse(request, response, refusal);
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
