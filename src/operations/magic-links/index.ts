import { ApiError } from '../../errors.ts';
import type { Input } from '../../contract/types.ts';
import type { World } from '../../world/world.ts';
import { openAccountLink } from '../account-pages/open-link.ts';
import type { Answer } from '../answer.ts';
import type { Operations } from '../handler.ts';
import { openPortalLink } from '../portal/open-link.ts';

type OpenLink = (world: World, token: string, cookies: Input<'MagicLink_Open'>['cookies']) => Answer;

/** What a link is for, by the end of its token. */
const LINKS: Readonly<Record<string, OpenLink>> = {
  _o: openAccountLink,
  _p: openPortalLink,
};

export const magicLinks = {
  MagicLink_Open({ path: { token }, cookies }, world) {
    const open = LINKS[token.slice(-2)];
    if (!open) throw new ApiError('not_found', 'nobody knows this link: ask for a new one');
    return open(world, token, cookies);
  },
} satisfies Partial<Operations>;
