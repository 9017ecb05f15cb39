import { ApiError } from '../../errors.ts';
import type { Input } from '../../contract/types.ts';
import type { Env } from '../../environment/env.ts';
import { openAccountLink } from '../account-pages/authorization.ts';
import type { CustomReply } from '../custom-reply.ts';
import type { Operations } from '../handler.ts';
import { openPortalLink } from '../portal/open-link.ts';

type OpenLink = (env: Env, token: string, cookies: Input<'MagicLink_Open'>['cookies']) => CustomReply;

/** Functions that open a link, by the suffix of its token. */
const LINKS: Readonly<Record<string, OpenLink>> = {
  _o: openAccountLink,
  _p: openPortalLink,
};

export const magicLinks = {
  MagicLink_Open({ path: { token }, cookies }, env) {
    const open = LINKS[token.slice(-2)];
    if (!open) throw new ApiError('not_found', 'this link is unknown: ask for a new one');
    return open(env, token, cookies);
  },
} satisfies Partial<Operations>;
