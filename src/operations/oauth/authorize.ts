import type { Env } from '../../environment/env.ts';
import type { Rows } from '../../environment/rows/schema.ts';
import { ApiError, invalidArgument, OAuthError } from '../../errors.ts';
import { Redirect, withQuery } from '../custom-reply.ts';
import type { Operations } from '../handler.ts';
import { nextStep } from '../sign-in/steps.ts';
import { beginTransaction, readAuthorizeRequest } from '../sign-in/transaction.ts';
import { wantedTokens } from './authorize-rules.ts';
import { flawOf, isRegistered } from './redirect-uris.ts';

type Client = Rows['clients'];

export const oauthAuthorize = {
  OAuth_Authorize({ query, headers, cookies, body }, env) {
    const asked = body ?? query;
    const status = body ? 303 : 302;
    const client = clientOf(env, asked.client_id);
    const redirect_uri = redirectUriOf(env, client, asked);
    try {
      const wanted = { ...wantedTokens(env, client, asked), ...readAuthorizeRequest(asked, headers) };
      const transaction = beginTransaction(env, { client_id: client.id, redirect_uri, ...wanted }, cookies);
      return nextStep(env, transaction, cookies, status);
    } catch (thrown) {
      if (!(thrown instanceof OAuthError)) throw thrown;
      const { error, message: error_description } = thrown;
      return new Redirect(withQuery(redirect_uri, { error, error_description, state: asked.state }), {
        status,
      });
    }
  },
} satisfies Partial<Operations>;

/** These errors are shown on a page: without a valid client there is no address that may receive them. */
function clientOf(env: Env, id: string | undefined): Client {
  if (!id) throw invalidArgument('client_id is missing');
  const client = env.clients.find(id);
  if (!client || client.organization_id)
    throw new ApiError('invalid_argument', 'unable to retrieve client by id');
  return client;
}

interface Destination {
  redirect_uri?: string;
  organization_id?: string;
}

function redirectUriOf(env: Env, client: Client, { redirect_uri, organization_id }: Destination): string {
  if (!redirect_uri) throw invalidArgument('redirect_uri is missing');
  const flaw = flawOf(redirect_uri);
  if (flaw) throw invalidArgument(`the redirect_uri ${flaw}`);
  const organization = organization_id ? env.organizations.find(organization_id) : undefined;
  if (isRegistered(client.post_login_uris, redirect_uri, organization)) return redirect_uri;
  throw invalidArgument(`the redirect_uri is missing in the client configuration: ${redirect_uri}`);
}
