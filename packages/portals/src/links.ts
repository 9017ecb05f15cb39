import type { Env } from '@understudy/core/state/env';
import type { CustomReply } from '@understudy/core/operations/handler';
import { redirectWithCookie } from '@understudy/core/operations/hosted/browser';
import { failurePage, beginSession } from './admin/visit.ts';

const SUFFIX = '_p';

/** Opens a portal link once and gives the browser a session. The token is that of the address. */
export function openPortalLink(env: Env, token: string): CustomReply {
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
