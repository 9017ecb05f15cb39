import type { Env } from '../../environment/env.ts';
import { frontPageContent, signedInContent } from '../../pages/front.ts';
import { showPage, withQuery } from '../custom-reply.ts';
import type { Operations } from '../handler.ts';
import { isEnvironmentClient } from '../oauth/client-authentication.ts';
import { isRegistered } from '../oauth/redirect-uris.ts';

export const frontPage = {
  FrontPage_Show(_, env) {
    const { environment, baseUrl } = env;
    return showPage(frontPageContent({ environment, baseUrl, signIn: signInAddress(env) }));
  },

  FrontPage_SignedIn({ query }, env) {
    const { id: client_id = '' } = environmentClient(env) ?? {};
    const redirect_uri = returnAddress(env);
    return showPage(signedInContent({ ...query, client_id, redirect_uri, baseUrl: env.baseUrl }));
  },
} satisfies Partial<Operations>;

/**
 * A sign-in link of the environment's own client that returns to our page; undefined if our page is not
 * registered.
 */
function signInAddress(env: Env): string | undefined {
  const client = environmentClient(env);
  const redirect_uri = returnAddress(env);
  if (!client || !isRegistered(client.post_login_uris, redirect_uri)) return undefined;
  return withQuery('/oauth/authorize', {
    client_id: client.id,
    redirect_uri,
    response_type: 'code',
    scope: 'openid profile email',
    state: 'front-page',
  });
}

const returnAddress = ({ baseUrl }: Env) => `${baseUrl}/ui/signed-in`;

const environmentClient = (env: Env) => env.clients.list().find(isEnvironmentClient);
