import { shortened } from '@understudy/text/suggestion';
import type { Env, Rows } from '../../state/env.ts';
import { ApiError, invalidArgument, OAuthError } from '../../contract/errors.ts';
import type { Input } from '../../contract/types.ts';
import { Redirect, withQuery, type Operations } from '../handler.ts';
import { issuerOf, type Resource, resourceOf, type ResourcePath } from '../resources/resource.ts';
import { nextStep } from '../sign-in/steps.ts';
import { beginTransaction, readAuthorizeRequest } from '../sign-in/transaction.ts';
import { wantedTokens } from './authorize-rules.ts';
import { clientOfDocument, isDocumentAddress } from './client-document.ts';
import { flawOf, isRegistered, isRegisteredLoopback } from './redirect-uris.ts';

type Client = Rows['clients'];

export const oauthAuthorize = {
  OAuth_Authorize({ path, query, headers, cookies, body }: AuthorizeInput, env: Env) {
    const asked = body ?? query;
    const status = body ? 303 : 302;
    const client_id = given('client_id', asked.client_id);
    const address = asked.redirect_uri || noAddress(env, client_id);
    const named = resourceOf(env, path);
    const client = clientOf(env, client_id, named);
    const resource = named ?? (client.resource_id ? env.resources.get(client.resource_id) : undefined);
    const redirect_uri = redirectUriOf(env, client, { ...asked, redirect_uri: address });
    try {
      const wanted = {
        ...wantedTokens(env, client, asked, resource),
        ...loginPageOf(env, resource),
        ...readAuthorizeRequest(asked, headers),
        ...(named && { at_resource: true }),
      };
      const transaction = beginTransaction(env, { client_id: client.id, redirect_uri, ...wanted }, cookies);
      return nextStep(env, transaction, cookies, status);
    } catch (thrown) {
      if (!(thrown instanceof OAuthError)) throw thrown;
      const { error, message: error_description } = thrown;
      const iss = named ? issuerOf(env, named) : env.baseUrl;
      return new Redirect(withQuery(redirect_uri, { error, error_description, state: asked.state, iss }), {
        status,
      });
    }
  },
} satisfies Partial<Operations>;

/** Throws for a request without `redirect_uri`. The answer hides that the client is unknown, too. */
function noAddress(env: Env, client_id: string): never {
  const refusal = invalidArgument('redirect_uri is missing');
  const isKnown = env.clients.has(client_id) || isDocumentAddress(client_id);
  if (isKnown) throw refusal;
  throw refusal.because({
    kind: 'unknown',
    noun: 'client',
    wanted: shortened(client_id),
    says: 'the call has no redirect_uri either',
  });
}

/** These errors are shown on a page: without a valid client there is no address that may receive them. */
function clientOf(env: Env, id: string, resource: Resource | undefined): Client {
  if (resource?.enable_cimd && isDocumentAddress(id)) return clientOfDocument(env, resource, id);
  const client = env.clients.find(id);
  const isForeign = resource !== undefined && client?.resource_id !== resource.id;
  if (!client || client.organization_id || isForeign || client.metadata_uri)
    throw new ApiError('invalid_argument', 'unable to retrieve client by id', {
      why: { kind: 'unknown', noun: 'client', wanted: shortened(id) },
    });
  return client;
}

type AuthorizeInput = Input<'OAuth_Authorize'> & { path: ResourcePath };

/** Users of a resource with a login page of its own sign in there. */
function loginPageOf(env: Env, resource: Resource | undefined) {
  const { connection_id } = resource ?? {};
  const connection = connection_id ? env.connections.find(connection_id) : undefined;
  return connection?.enabled ? { wanted_connection_id: connection.id } : {};
}

interface Destination {
  redirect_uri: string;
  organization_id?: string;
}

function given(name: string, value: string | undefined): string {
  if (!value) throw invalidArgument(`${name} is missing`);
  return value;
}

function redirectUriOf(env: Env, client: Client, { redirect_uri, organization_id }: Destination): string {
  const flaw = flawOf(redirect_uri);
  if (flaw) throw invalidArgument(`the redirect_uri ${flaw}`);
  const organization = organization_id ? env.organizations.find(organization_id) : undefined;
  const registered = client.post_login_uris;
  if (isRegistered(registered, redirect_uri, organization)) return redirect_uri;
  if (client.resource_id && isRegisteredLoopback(registered, redirect_uri)) return redirect_uri;
  throw invalidArgument(`the redirect_uri is missing in the client configuration: ${redirect_uri}`);
}
