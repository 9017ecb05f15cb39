import type { Input } from '@understudy/core/contract/types';
import type { Env } from '@understudy/core/state/env';
import { ApiError } from '@understudy/core/contract/errors';
import { openAccountLink } from './accounts/authorization.ts';
import type { CustomReply, Operations } from '@understudy/core/operations/handler';
import { redirectWithCookie } from '@understudy/core/operations/hosted/browser';
import { failurePage, beginSession } from './admin/visit.ts';

type OpenLink = (env: Env, token: string, cookies: Input<'MagicLink_Open'>['cookies']) => CustomReply;

/** Functions that open a link, by the suffix of its token. */
const LINKS: Readonly<Record<string, OpenLink>> = {
  _o: openAccountLink,
  _p: openPortalLink,
};

export const magicLinks = {
  MagicLink_Open({ path: { token }, cookies }, env) {
    const open = LINKS[token.slice(-2)];
    if (!open)
      throw new ApiError('not_found', 'this link is unknown: ask for a new one', {
        why: { kind: 'unknown', says: 'no mail of this environment has the link, or the state was reset' },
      });
    return open(env, token, cookies);
  },
} satisfies Partial<Operations>;

const SUFFIX = '_p';

/** Opens a portal link once and gives the browser a session. The token is that of the address. */
function openPortalLink(env: Env, token: string): CustomReply {
  const link = env.portal_links.findBy('token', token.slice(0, -SUFFIX.length));
  if (!link) return failurePage(env, 'unknown');
  if (link.used_at !== undefined) return failurePage(env, 'used');
  if (env.clock.isPast(link.expire_time)) return failurePage(env, 'expired');
  env.portal_links.update(link.id, { used_at: env.clock.iso() });
  return redirectWithCookie(env, `${env.baseUrl}/portal`, {
    name: 'understudy_portal',
    value: beginSession(env, link).token,
    path: '/portal',
    embeddable: true,
  });
}
