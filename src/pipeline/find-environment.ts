import type { EnvironmentMark, Operation } from '../contract/compiled.ts';
import type { UncheckedInput } from '../contract/contract.ts';
import type { Environment } from '../environment/environment.ts';
import { DEFAULT_ENVIRONMENT, environmentOfClient, type Environments } from '../environment/environments.ts';
import { unverifiedClaims } from '../environment/keys.ts';
import { bearerToken, environmentOf } from './authenticate.ts';
import { header, type Call } from './call.ts';

/** The operation of a call and its request. */
export interface RoutedRequest {
  operation: Pick<Operation, 'environment'>;
  request: UncheckedInput;
}

/**
 * The environment of a call, by the first of these that names one: the header; the token; a client; an id, link or
 * cookie that an environment issued; the host `{name}.localhost`. The contract says which values of an operation
 * count (`x-environment`); `routed` is absent if no operation has the path.
 */
export function findEnvironment(
  call: Pick<Call, 'headers' | 'host'>,
  environments: Environments,
  routed?: RoutedRequest,
): Environment {
  const named = header(call, 'understudy-environment');
  if (named) return environments.get(named);
  const { tokens, clients, links, cookies } = routed ? carriedValues(routed) : NOTHING;
  const host = hostName(call.host);
  // A credential may name an environment that is gone: the call is then refused as unauthenticated.
  const known =
    ofBearer(call, environments) ??
    ofTokens(tokens) ??
    ofClients(clients, issuerOf(links) ?? host, environments);
  if (known !== undefined) return environments.find(known) ?? environments.get(DEFAULT_ENVIRONMENT);
  // A browser may have cookies of several environments, so cookies do not count if the call has a link.
  const issuer = issuerOf(links.length > 0 ? links : cookies);
  return (issuer && environments.find(issuer)) || environments.get(host ?? DEFAULT_ENVIRONMENT);
}

type CarriedValues = Readonly<Record<'tokens' | 'clients' | 'links' | 'cookies', readonly string[]>>;

const NOTHING: CarriedValues = { tokens: [], clients: [], links: [], cookies: [] };

/** The values of a call that may name an environment. The contract refuses repeated values, so they do not count. */
function carriedValues({ operation: { environment: marks }, request }: RoutedRequest): CarriedValues {
  if (!marks) return NOTHING;
  const valuesOf = (wanted: EnvironmentMark[]) =>
    wanted
      .map((mark) => valueAt(mark, request))
      .filter((value): value is string => typeof value === 'string' && value !== '');
  const codes = marks.filter(({ as }) => as === 'code');
  return {
    tokens: valuesOf(marks.filter(({ as }) => as === 'token')),
    clients: valuesOf(marks.filter(({ as }) => as === 'client')),
    links: valuesOf(codes.filter((mark) => mark.in !== 'cookie')),
    cookies: valuesOf(codes.filter((mark) => mark.in === 'cookie')),
  };
}

/** The environment that issued these codes. A code begins with its name and a dot, except in `default`. */
function issuerOf(codes: readonly string[]): string | undefined {
  for (const code of codes) {
    const [, name] = /^([a-z0-9-]{1,40})\.[\w-]{20,}$/.exec(code) ?? [];
    if (name !== undefined) return name;
  }
  return undefined;
}

function valueAt({ in: place, name }: EnvironmentMark, { params, query, body, cookies }: UncheckedInput) {
  const values = { path: params, query, body, cookie: cookies }[place] as Record<string, unknown> | undefined;
  return values?.[name];
}

function ofBearer(call: Pick<Call, 'headers'>, environments: Environments): string | undefined {
  const token = bearerToken(call);
  if (token === undefined) return undefined;
  // Most calls carry a token that `default` has already verified, so it is not decoded again.
  const claims = environments.get(DEFAULT_ENVIRONMENT).verified.known(token) ?? unverifiedClaims(token);
  return claims && environmentOf(claims);
}

function ofTokens([token]: readonly string[]): string | undefined {
  const claims = token === undefined ? undefined : unverifiedClaims(token);
  return claims && environmentOf(claims);
}

/** Every environment has the fixture's clients. For these `place` decides: the issuer of a code, or the host. */
function ofClients(
  values: readonly string[],
  place: string | undefined,
  environments: Environments,
): string | undefined {
  if (values.length === 0) return undefined;
  const named = values.map(environmentOfClient).find((name) => name !== DEFAULT_ENVIRONMENT);
  if (named !== undefined) return named;
  const clients = place === undefined ? undefined : environments.find(place)?.tables.clients;
  return values.some((value) => clients?.find(value)) ? place : DEFAULT_ENVIRONMENT;
}

const hostName = (host: string) => /^([a-z0-9-]{1,40})\.localhost(?::\d+)?$/i.exec(host)?.[1]?.toLowerCase();
