import type { Environment } from '../environment/environment.ts';
import { DEFAULT_ENVIRONMENT, environmentOfClient, type Environments } from '../environment/environments.ts';
import { unverifiedClaims } from '../environment/keys.ts';
import { bearerToken, environmentOf } from './authenticate.ts';
import { header, type Call } from './call.ts';
import { clientCredentials } from './client-credentials.ts';

/** What of a call may tell its environment. */
type Carried = Pick<Call, 'headers' | 'host' | 'path' | 'body'> & Partial<Pick<Call, 'query'>>;

/** As links and codes, of other environments than `default`: a name and a dot before it. */
const MARKED = /^([a-z0-9-]{1,40})\.[\w-]{20,}$/;
const COOKIES =
  /(?:^|;\s*)understudy_(?:session|login|portal|webhooks|connect)=([a-z0-9-]{1,40})\.[\w-]{20,}/;
/** Whoever signs out ends the session, whichever sign-in the browser has begun beside it. */
const SESSION_COOKIE = /(?:^|;\s*)understudy_session=(?:([a-z0-9-]{1,40})\.)?[\w-]{20,}/;
/** The portals have sessions of their own, whoever has signed in beside them. */
const PORTAL_COOKIE = /(?:^|;\s*)understudy_portal=(?:([a-z0-9-]{1,40})\.)?[\w-]{20,}/;
const WEBHOOKS_COOKIE = /(?:^|;\s*)understudy_webhooks=(?:([a-z0-9-]{1,40})\.)?[\w-]{20,}/;

/**
 * Which environment a call belongs to, by what an unmodified client can carry; the first that is there: the header,
 * the token, also as the hint of a logout, the client id at /oauth, a link, code or cookie that the environment has made, the host
 * `{name}.localhost`.
 */
export function findEnvironment(call: Carried, environments: Environments): Environment {
  const named = header(call, 'understudy-environment');
  if (named) return environments.get(named);
  // A credential may name an environment that is gone: the call is then refused as unauthenticated.
  const known = ofToken(call, environments) ?? ofHint(call) ?? ofClient(call, environments);
  if (known) return environments.find(known) ?? environments.get(DEFAULT_ENVIRONMENT);
  const carried = ofLink(call, environments) ?? ofCookie(call, environments);
  return environments.get(carried ?? ofHost(call.host) ?? DEFAULT_ENVIRONMENT);
}

function ofToken(call: Carried, environments: Environments): string | undefined {
  const token = bearerToken(call);
  if (token === undefined) return undefined;
  // Most calls are those of default's own client: its token need not be read again and again.
  const claims = environments.get(DEFAULT_ENVIRONMENT).verified.known(token) ?? unverifiedClaims(token);
  return claims && environmentOf(claims);
}

/** The browser of an application that signs out may have no cookie any more. */
function ofHint({ path, query, body }: Carried): string | undefined {
  if (path !== '/oidc/logout') return undefined;
  const form = new URLSearchParams(new TextDecoder().decode(body));
  const hint = query?.['id_token_hint'] ?? form.get('id_token_hint');
  const claims = typeof hint === 'string' ? unverifiedClaims(hint) : undefined;
  return claims && environmentOf(claims);
}

function ofClient(call: Carried, environments: Environments): string | undefined {
  if (!/^\/(oauth\/|revoke$)/.test(call.path)) return undefined;
  const client_id = call.query?.['client_id'];
  const credentials =
    clientCredentials(call) ?? (typeof client_id === 'string' ? { client_id, client_secret: '' } : undefined);
  if (!credentials) return undefined;
  const named = environmentOfClient(credentials);
  if (named !== DEFAULT_ENVIRONMENT) return named;
  // A client of the fixture is in every environment: what it carries, or where it calls, tells which one it means.
  const meant = ofForm(call) ?? ofHost(call.host);
  const known = meant === undefined ? undefined : environments.find(meant);
  return known?.tables.clients.find(credentials.client_id) ? meant : named;
}

function ofForm({ body }: Carried): string | undefined {
  const form = new URLSearchParams(new TextDecoder().decode(body));
  for (const name of ['code', 'refresh_token', 'token']) {
    const [, named] = MARKED.exec(form.get(name) ?? '') ?? [];
    if (named !== undefined) return named;
  }
  return undefined;
}

function ofLink(call: Carried, environments: Environments): string | undefined {
  const { path, query = {} } = call;
  const codes = [...path.split('/'), ...CODES.map((name) => query[name]), ...broughtBack(call)];
  for (const code of codes) {
    const [, name] = MARKED.exec(String(code)) ?? [];
    if (name !== undefined && environments.find(name)) return name;
  }
  return undefined;
}

/** What an identity provider, or a login page of the customer's, brings back with its answer. */
function broughtBack({ path, query = {}, body }: Carried): unknown[] {
  if (!path.startsWith('/sso/v1/')) return [];
  return [query['state'], new URLSearchParams(new TextDecoder().decode(body)).get('RelayState')];
}

/** One browser may be at pages of several environments: an address that could have a mark and has none is of no other. */
function ofCookie(call: Carried, environments: Environments): string | undefined {
  if (
    /^\/(?:ui\/(?:login|identity-provider|connect|invitation|link)|sso\/v1|magicLink|webhooks\/portal)(?:\/|$)/.test(
      call.path,
    )
  )
    return undefined;
  const cookies = header(call, 'cookie') ?? '';
  const [, name] = ownCookie(call.path)?.exec(cookies) ?? COOKIES.exec(cookies) ?? [];
  return name !== undefined && environments.find(name) ? name : undefined;
}

function ownCookie(path: string): RegExp | undefined {
  if (/^\/portal(?:\/|$)/.test(path)) return PORTAL_COOKIE;
  if (/^\/ui\/webhooks(?:\/|$)/.test(path)) return WEBHOOKS_COOKIE;
  return /^\/(?:oidc|ui)\/logout$/.test(path) ? SESSION_COOKIE : undefined;
}

const CODES = ['code', 'link_token', 'auth_request_id'];

const ofHost = (host: string) => /^([a-z0-9-]{1,40})\.localhost(?::\d+)?$/i.exec(host)?.[1]?.toLowerCase();
