import { frontSheet } from '../../pages/front.ts';
import { signedInSheet } from '../../pages/signed-in.ts';
import type { World } from '../../world/world.ts';
import { withQuery } from '../answer.ts';
import type { Operations } from '../handler.ts';
import { isRegistered } from '../oauth/redirect-uris.ts';
import { showPage } from '../page-answer.ts';

export const frontPage = {
  FrontPage_Show(_, world) {
    const { environment, baseUrl } = world;
    return showPage(frontSheet({ environment, baseUrl, signIn: signInAddress(world) }));
  },

  FrontPage_SignedIn({ query }, world) {
    const { id: client_id = '' } = ownClient(world) ?? {};
    const redirect_uri = returnAddress(world);
    return showPage(signedInSheet({ ...query, client_id, redirect_uri, baseUrl: world.baseUrl }));
  },
} satisfies Partial<Operations>;

/** Where a sign-in of the environment's own client begins that ends at our page; none where that is not registered. */
function signInAddress(world: World): string | undefined {
  const client = ownClient(world);
  const redirect_uri = returnAddress(world);
  if (!client || !isRegistered(client.post_login_uris, redirect_uri)) return undefined;
  return withQuery('/oauth/authorize', {
    client_id: client.id,
    redirect_uri,
    response_type: 'code',
    scope: 'openid profile email',
    state: 'front-page',
  });
}

const returnAddress = ({ baseUrl }: World) => `${baseUrl}/ui/signed-in`;

/** The environment's own client is the first of its kind. */
const ownClient = (world: World) =>
  world.clients
    .list()
    .find(({ organization_id, client_type = 'ENV' }) => !organization_id && client_type === 'ENV');
