import type { InterceptorEffects } from '../../contract/types.ts';
import type { Env, Rows } from '../../state/env.ts';
import { OAuthError } from '../../contract/errors.ts';
import { shortened } from '@understudy/text/suggestion';
import { ORGANIZATION_CLIENT_LIFETIME } from '../clients/client-view.ts';
import { addressRefusal, allowsAddress } from '../clients/ip-allowlist.ts';
import { askInterceptors, deviceType, mergeCustomClaims } from '../interceptors/ask.ts';
import { templateClaims } from '../interceptors/token-claims.ts';
import {
  accessTokenLifetime,
  audienceOf,
  clientScopes,
  refuseOtherTarget,
  type Resource,
} from '../resources/resource.ts';
import { authenticateClient } from './client-authentication.ts';
import { refuseDisallowedGrant, type TokenForm } from './grant-types.ts';
import { tokenClaims } from './user-grant.ts';

type Client = Rows['clients'];

/** The claims of a client's token that interceptors may change. */
interface ClientClaims {
  scopes: readonly string[];
  audience: readonly string[];
  custom: Readonly<Record<string, unknown>>;
}

/** An access token for the client itself (RFC 6749 4.4). */
export function clientCredentialsGrant(env: Env, form: TokenForm, userAgent: string) {
  const client = authenticateClient(env, form);
  refuseDisallowedGrant(client, 'client_credentials');
  // Unverified (oauth/address-not-allowed): the docs give neither status nor code of this refusal.
  if (!allowsAddress(client, env.callerAddress))
    throw new OAuthError('unauthorized_client', addressRefusal(client, env.callerAddress)).decidedBy(
      'oauth/address-not-allowed',
    );
  const { resource_id } = client;
  return resource_id
    ? resourceToken(env, client, env.resources.get(resource_id), form)
    : ownToken(env, client, form.scope, userAgent);
}

/** A token for this API, if interceptors allow it. */
function ownToken(env: Env, client: Client, asked: string | undefined, userAgent: string) {
  const wanted = {
    scopes: grantedScopes(client, asked),
    audience: client.organization_id ? (client.audience ?? []) : [client.id],
    custom: customClaims(client),
  };
  const claims = interceptedClaims(env, client, wanted, userAgent);
  const lifetime = lifetimeOf(env, client);
  return issueToken(env, client, claims, {
    lifetime,
    ...(client.organization_id && { oid: client.organization_id }),
  });
}

/** A token for the protected resource that the client belongs to. */
function resourceToken(env: Env, client: Client, resource: Resource, form: TokenForm) {
  refuseOtherTarget(env, resource, form.resource);
  const claims = {
    scopes: grantedResourceScopes(env, client, resource, form.scope),
    audience: [...new Set([...audienceOf(resource), ...(client.audience ?? [])])],
    custom: customClaims(client),
  };
  const lifetime = client.expiry ?? accessTokenLifetime(resource);
  return issueToken(env, client, claims, { lifetime, resid: resource.id });
}

interface TokenTraits {
  lifetime: number;
  /** The organization. */
  oid?: string;
  /** The protected resource. */
  resid?: string;
}

/** Go's SDK reads `scope` and expects `aud` as a list; the SDKs for Node and Python read `scopes`. */
function issueToken(
  env: Env,
  { id }: Client,
  { scopes, audience, custom }: ClientClaims,
  { lifetime, ...whose }: TokenTraits,
) {
  const scope = scopes.join(' ');
  const { oid } = whose;
  // Unverified (oauth/template-in-client-tokens): only tokens of an organization's client get the claims of the
  // template.
  const added =
    oid &&
    templateClaims(env, {
      organization_id: oid,
      m2m_token_claims: { client_id: id, oid, scope, scopes, custom_claims: custom },
    });
  const access_token = env.token({
    ...added,
    ...tokenClaims(env, lifetime, { resource_id: whose.resid, client_id: id }),
    sub: id,
    aud: audience,
    client_id: id,
    ...whose,
    scope,
    scopes,
    ...(Object.keys(custom).length > 0 && { custom_claims: custom }),
  });
  // The service returns the remaining lifetime, which is one second less than the full one.
  return { access_token, token_type: 'Bearer' as const, expires_in: lifetime - 1, scope };
}

const customClaims = ({ custom_claims = [] }: Client): Record<string, string> =>
  Object.fromEntries(custom_claims.map(({ key, value = '' }) => [key, value]));

/**
 * The requested scopes, or all of the client's. An environment client without a list may request any scope.
 */
function grantedScopes(client: Client, asked: string | undefined): string[] {
  if (!asked) return client.scopes;
  const wanted = wordsOf(asked);
  const isLimited = client.organization_id !== undefined || client.scopes.length > 0;
  const known = new Set(client.scopes);
  const refused = isLimited ? wanted.find((scope) => !known.has(scope)) : undefined;
  if (refused === undefined) return wanted;
  throw new OAuthError('invalid_scope', `scope ${refused} is not one of the client's`);
}

/**
 * The requested scopes that the client may have, or all that it may have: those that it lists, else those of the
 * resource. The others are left out, as the docs of the Python SDK say (resources). Unverified (oauth/no-scope-left):
 * nothing is left.
 */
export function grantedResourceScopes(env: Env, client: Client, resource: Resource, asked = ''): string[] {
  const offered = clientScopes(env, resource, client);
  const wanted = [...new Set(wordsOf(asked))];
  if (wanted.length === 0) return [...offered];
  const granted = wanted.filter((each) => offered.has(each));
  if (granted.length > 0) return granted;
  const names = shortened([...offered].join(', '));
  throw new OAuthError('invalid_scope', `none of the scopes is one of ${names}`).decidedBy(
    'oauth/no-scope-left',
  );
}

const MINUTE = 60;

function lifetimeOf(env: Env, client: Client): number {
  if (client.organization_id) return client.expiry ?? ORGANIZATION_CLIENT_LIFETIME;
  return client.access_token_expiry ?? env.settings.get('settings').client_access_token_expiry * MINUTE;
}

/**
 * Applies the interceptors' changes. Unverified (interceptors/environment-client-tokens): interceptors are not asked
 * about tokens of environment clients, which call this API.
 */
function interceptedClaims(env: Env, client: Client, claims: ClientClaims, userAgent: string): ClientClaims {
  const { id: client_id, organization_id: oid } = client;
  if (!oid) {
    const asked = env.interceptors.list('trigger_point', 'PRE_M2M_TOKEN_CREATION');
    if (asked.some(({ enabled }) => enabled)) env.decidedBy('interceptors/environment-client-tokens');
    return claims;
  }
  const { scopes, custom } = claims;
  const effects = askInterceptors(env, 'PRE_M2M_TOKEN_CREATION', () => ({
    context: { client_id, user_agent: userAgent, device_type: deviceType(userAgent) },
    data: {
      m2m_token_claims: {
        client_id,
        claims: { custom_claims: { ...custom }, oid, scope: scopes.join(' '), scopes: [...scopes] },
      },
    },
  }));
  return effects.claims ? applyChanges(env, claims, effects.claims) : claims;
}

/**
 * Unverified (interceptors/client-token-claims): every claim other than scope and audience is a custom claim, wherever
 * the interceptor puts it.
 */
function applyChanges(
  env: Env,
  before: ClientClaims,
  claims: NonNullable<InterceptorEffects<'PRE_M2M_TOKEN_CREATION'>['claims']>,
): ClientClaims {
  const { scope, scopes = scope, aud, ...own } = claims;
  if (Object.keys(own).length > 0) env.decidedBy('interceptors/client-token-claims');
  return {
    scopes: scopes === undefined ? before.scopes : [scopes].flat().flatMap(wordsOf),
    audience: aud === undefined ? before.audience : [aud].flat(),
    custom: { ...before.custom, ...mergeCustomClaims(own) },
  };
}

const wordsOf = (text: string) => text.split(' ').filter(Boolean);
