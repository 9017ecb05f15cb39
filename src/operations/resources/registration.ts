import type { Input } from '../../contract/types.ts';
import type { Env, Rows } from '../../state/env.ts';
import { ApiError, OAuthError } from '../../contract/errors.ts';
import { newClientId, newSecret } from '../clients/secrets.ts';
import type { Operations } from '../handler.ts';
import { GRANT_TYPES } from '../oauth/grant-types.ts';
import { flawOfOwn, MOST_OWN } from '../oauth/redirect-uris.ts';
import { resourceOf, offeredScopes, type Resource } from './resource.ts';
import { refuseFurtherClients, viewResourceClient } from './resource-clients.ts';

type Metadata = Input<'ClientService_RegisterClient'>['body'];

const METHODS = ['none', 'client_secret_basic', 'client_secret_post'];
const USUAL_GRANTS = ['authorization_code', 'refresh_token'];

export const registration = {
  ClientService_RegisterClient({ path, body }, env) {
    const resource = resourceOf(env, { resource_id: path.res_id })!;
    // Unverified (resources/registration-switched-off): the docs say that it fails, but not how.
    if (resource.disable_dynamic_client_registration)
      throw new ApiError(
        'permission_denied',
        `resource ${resource.id} does not allow client registration`,
      ).decidedBy('resources/registration-switched-off');
    refuseUnusable(body);
    refuseFurtherClients(env, resource);
    return registered(insertClient(env, resource, body), body, env);
  },
} satisfies Partial<Operations>;

function insertClient(env: Env, resource: Resource, metadata: Metadata): Rows['clients'] {
  const {
    client_name = '',
    description,
    redirect_uris,
    client_uri,
    logo_uri,
    tos_uri,
    policy_uri,
  } = metadata;
  const now = env.clock.iso();
  return env.clients.insert({
    id: newClientId(env, 'm2m'),
    resource_id: resource.id,
    name: client_name,
    is_dcr: true,
    scopes: knownScopes(env, resource, metadata),
    secrets: methodOf(metadata) === 'none' ? [] : [newSecret(env)],
    grant_types: metadata.grant_types?.length ? metadata.grant_types : USUAL_GRANTS,
    create_time: now,
    update_time: now,
    ...(description && { description }),
    ...(redirect_uris && { post_login_uris: redirect_uris }),
    ...(client_uri && { client_uri }),
    ...(logo_uri && { logo_uri }),
    ...(tos_uri && { tos_uri }),
    ...(policy_uri && { policy_uri }),
  });
}

/** RFC 7591 2: a client that names no method uses `client_secret_basic`. */
const methodOf = ({ token_endpoint_auth_method: method }: Metadata): string =>
  method || 'client_secret_basic';

/** The server may register fewer scopes than asked for (RFC 7591 2). */
function knownScopes(env: Env, resource: Resource, { scope = '' }: Metadata): string[] {
  const offered = offeredScopes(env, resource);
  const asked = new Set(scope.split(' '));
  const known = offered.filter((each) => asked.has(each));
  return known.length > 0 ? known : offered;
}

/** RFC 7591 3.2.2. */
function refuseUnusable(metadata: Metadata): void {
  const { redirect_uris = [], grant_types = [], response_types = [] } = metadata;
  const refuse = (text: string): never => {
    throw new OAuthError('invalid_client_metadata', text);
  };
  const method = methodOf(metadata);
  if (!METHODS.includes(method))
    refuse(`token_endpoint_auth_method ${method} is not one of ${METHODS.join(', ')}`);
  const unknown = grant_types.find((each) => !GRANT_TYPES.some((known) => known === each));
  if (unknown !== undefined) refuse(`grant type ${unknown} is not one of ${GRANT_TYPES.join(', ')}`);
  if (response_types.some((each) => each !== 'code')) refuse('response_types has something other than code');
  refuseRedirects(redirect_uris, grant_types.length === 0 || grant_types.includes('authorization_code'));
}

function refuseRedirects(addresses: readonly string[], isNeeded: boolean): void {
  const invalid = (text: string) => new OAuthError('invalid_redirect_uri', text);
  if (isNeeded && addresses.length === 0) throw invalid('redirect_uris is missing');
  if (addresses.length > MOST_OWN)
    throw invalid(`redirect_uris: value must have at most ${MOST_OWN} addresses`);
  for (const address of addresses) {
    const flaw = flawOfOwn(address);
    if (flaw) throw invalid(`redirect_uris: ${flaw}`);
  }
}

/** Everything that was registered, also what the client left to the server (RFC 7591 3.2.1). */
function registered(client: Rows['clients'], metadata: Metadata, env: Env) {
  const {
    organization_id: _,
    is_dcr: __,
    is_cimd: ___,
    metadata_uri: ____,
    ...view
  } = viewResourceClient(client);
  const { client_uri, logo_uri, tos_uri, policy_uri, grant_types = [], scopes } = client;
  const { application_type } = metadata;
  const [secret] = client.secrets;
  return {
    ...view,
    ...(secret && { client_secret: secret.secret }),
    client_secret_expires_at: 0,
    client_id_issued_at: Math.floor(env.clock.ms / 1000),
    client_name: client.name,
    scope: scopes.join(' '),
    ...(client_uri && { client_uri }),
    ...(logo_uri && { logo_uri }),
    ...(tos_uri && { tos_uri }),
    ...(policy_uri && { policy_uri }),
    grant_types: [...grant_types],
    response_types: grant_types.includes('authorization_code') ? ['code'] : [],
    token_endpoint_auth_method: methodOf(metadata),
    ...(application_type && { application_type }),
  };
}
