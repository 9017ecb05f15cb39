import type { World } from '../world/world.ts';

/** Who may show the portal in a frame: the sites that some client of the environment sends its users back to. */
export const framers = (world: World): string[] =>
  world.clients
    .list()
    .flatMap(({ post_login_uris = [], post_logout_redirect_uris = [] }) => [
      ...post_login_uris,
      ...post_logout_redirect_uris,
    ]);
