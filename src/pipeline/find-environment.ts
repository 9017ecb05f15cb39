import type { EnvironmentMark, Operation } from '../contract/compiled.ts';
import type { UncheckedInput } from '../contract/contract.ts';
import type { Environment } from '../environment/environment.ts';
import { DEFAULT_ENVIRONMENT } from '../state/environment-names.ts';
import type { Environments } from '../environment/environments.ts';
import type { Keys } from '../state/keys.ts';
import { environmentOfClient } from '../state/credentials.ts';
import { ApiError } from '../contract/errors.ts';
import { bearerTokens, header, type Call } from './call.ts';

export interface FoundEnvironment {
  environment: Environment;
  /** The bearer tokens of the call. */
  tokens: readonly string[];
  /** The error if the call names an unknown environment. The journal of `default` then lists the call. */
  unknownEnvironment: ApiError | undefined;
}

interface Places {
  readonly environments: Pick<Environments, 'find' | 'get'>;
  readonly keys: Keys;
}

/** The operation of a call and its request. */
export interface RoutedRequest {
  operation: Pick<Operation, 'environment'>;
  request: UncheckedInput;
}

/**
 * The environment of a call, by the first of these that names one: the header; its name in the query; the token; a
 * client; an id, link or cookie that an environment issued; the host `{name}.localhost`. The contract says which values
 * of an operation count (`x-environment`); `routed` is absent if no operation has the path.
 */
export function findEnvironment(
  call: Pick<Call, 'headers' | 'host' | 'environment'>,
  places: Places,
  routed?: RoutedRequest,
): FoundEnvironment {
  const { environments } = places;
  const tokens = bearerTokens(call);
  const named = call.environment ?? header(call, 'understudy-environment');
  try {
    const environment = named
      ? environments.get(named)
      : environmentOf(
          routed ? carriedValues(routed) : NOTHING,
          tokens[0],
          namedByHost(call.host, environments),
          places,
        );
    return { environment, tokens, unknownEnvironment: undefined };
  } catch (thrown) {
    const environment = environments.get(DEFAULT_ENVIRONMENT);
    return { environment, tokens, unknownEnvironment: ApiError.from(thrown) };
  }
}

/** Undefined if the call names an unknown environment; the pipeline then refuses the call. */
export function organizationOf(
  externalId: string,
  context: Pick<Call, 'headers' | 'host' | 'environment'>,
  places: Places,
): string | undefined {
  const { environment, unknownEnvironment } = findEnvironment(context, places);
  if (unknownEnvironment) return undefined;
  return environment.tables.organizations.findBy('external_id', externalId)?.id;
}

/** `bearer`: the token of the header `Authorization`; `host`: `name` of `{name}.localhost`. */
function environmentOf(
  { names, tokens, clients, links, cookies }: CarriedValues,
  bearer: string | undefined,
  host: string | undefined,
  { environments, keys }: Places,
): Environment {
  if (names[0] !== undefined) return environments.get(names[0]);
  const ofToken = (token?: string) => (token === undefined ? undefined : keys.environmentOf(token));
  // A credential may name an environment that is gone: the call is then refused as unauthenticated.
  const known =
    ofToken(bearer) ??
    ofSecret(bearer) ??
    ofToken(tokens[0]) ??
    ofClients(clients, issuerOf(links) ?? host, environments);
  if (known !== undefined) return environments.find(known) ?? environments.get(DEFAULT_ENVIRONMENT);
  // A browser may have cookies of several environments, so cookies do not count if the call has a link.
  const issuer = issuerOf(links.length > 0 ? links : cookies);
  return (issuer && environments.find(issuer)) || environments.get(host ?? DEFAULT_ENVIRONMENT);
}

type CarriedValues = Readonly<
  Record<'names' | 'tokens' | 'clients' | 'links' | 'cookies', readonly string[]>
>;

const NOTHING: CarriedValues = { names: [], tokens: [], clients: [], links: [], cookies: [] };

/** The values of a call that may name an environment. The contract refuses repeated values, so they do not count. */
function carriedValues({ operation: { environment: marks }, request }: RoutedRequest): CarriedValues {
  if (!marks) return NOTHING;
  const valuesOf = (wanted: EnvironmentMark[]) =>
    wanted
      .map((mark) => valueAt(mark, request))
      .filter((value): value is string => typeof value === 'string' && value !== '');
  const codes = marks.filter(({ as }) => as === 'code');
  return {
    names: valuesOf(marks.filter(({ as }) => as === 'name')),
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

/** The address of a client's metadata document names no environment. */
const isAddress = (client: string) => client.includes('://');

/** Every environment has the fixture's clients. For these `place` decides: the issuer of a code, or the host. */
function ofClients(
  values: readonly string[],
  place: string | undefined,
  environments: Places['environments'],
): string | undefined {
  if (values.every(isAddress)) return undefined;
  const named = values.map(environmentOfClient).find((name) => name !== DEFAULT_ENVIRONMENT);
  if (named !== undefined) return named;
  const clients = place === undefined ? undefined : environments.find(place)?.tables.clients;
  return values.some((value) => clients?.find(value)) ? place : DEFAULT_ENVIRONMENT;
}

/** The environment that a secret names, such as that of a directory; undefined for one of `default`. */
function ofSecret(bearer: string | undefined): string | undefined {
  const name = bearer === undefined ? DEFAULT_ENVIRONMENT : environmentOfClient(bearer);
  return name === DEFAULT_ENVIRONMENT ? undefined : name;
}

/** An application may look for the vendor's name in the address. `scalekit.localhost` is then an address of `default`. */
const VENDOR = 'scalekit';

function namedByHost(host: string, environments: Places['environments']): string | undefined {
  const name = /^([a-z0-9-]{1,40})\.localhost(?::\d+)?$/i.exec(host)?.[1]?.toLowerCase();
  return name === VENDOR && !environments.find(VENDOR) ? undefined : name;
}
