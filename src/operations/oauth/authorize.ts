import { ApiError, invalidArgument } from '../../errors.ts';
import type { Rows } from '../../world/schema.ts';
import type { World } from '../../world/world.ts';
import { Redirect, withQuery } from '../answer.ts';
import type { Operations } from '../handler.ts';
import { nextStep } from '../sign-in/steps.ts';
import { beginTransaction, type Transaction } from '../sign-in/transaction.ts';
import { isRegistered } from './redirect-uris.ts';

export const oauthAuthorize = {
  OAuth_Authorize({ query, cookies }, world) {
    const client = clientOf(world, query.client_id);
    const redirect_uri = redirectUriOf(client, query.redirect_uri);
    const refuse = (error: string, error_description: string) =>
      new Redirect(withQuery(redirect_uri, { error, error_description, state: query.state }));
    if (!query.response_type) return refuse('invalid_request', 'response_type missing');
    if (query.response_type !== 'code') return refuse('unauthorized_client', 'response_type is not code');
    if (!query.scope) return refuse('invalid_request', 'scope missing');

    const prompt = (query.prompt ?? '').split(' ').filter(Boolean) as Transaction['prompt'];
    const transaction = beginTransaction(
      world,
      {
        client_id: client.id,
        redirect_uri,
        scopes: query.scope.split(' ').filter(Boolean),
        prompt,
        intent: prompt.includes('create') ? 'sign_up' : 'sign_in',
        ...(query.state !== undefined && { state: query.state }),
        ...(query.nonce && { nonce: query.nonce }),
        ...(query.code_challenge && { code_challenge: query.code_challenge }),
        ...(query.login_hint && { login_hint: query.login_hint }),
      },
      cookies,
    );
    return nextStep(world, transaction, cookies);
  },
} satisfies Partial<Operations>;

/** What is wrong here must not be sent to an address that nobody has vouched for: a page shows it. */
function clientOf(world: World, id: string | undefined): Rows['clients'] {
  if (!id) throw invalidArgument('client_id is missing');
  const client = world.clients.find(id);
  if (!client || client.organization_id)
    throw new ApiError('invalid_argument', 'unable to retrieve client by id');
  return client;
}

function redirectUriOf(client: Rows['clients'], uri: string | undefined): string {
  if (!uri) throw invalidArgument('redirect_uri is missing');
  if (isRegistered(client.post_login_uris, uri)) return uri;
  throw invalidArgument(`the redirect_uri is missing in the client configuration: ${uri}`);
}
