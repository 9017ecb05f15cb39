import type { Operations } from '../handler.ts';
import { redirectWithCookie } from '../hosted/browser.ts';
import { failurePage } from './failure-page.ts';
import { beginSession, PORTAL } from './session.ts';

export const openLink = {
  WebhookPortal_Open({ path: { link_token } }, env) {
    const link = env.webhook_portal_links.findBy('token', link_token);
    if (!link) return failurePage(env, 'unknown');
    if (env.clock.isPast(link.expires_at)) return failurePage(env, 'expired');
    return redirectWithCookie(env, `${env.baseUrl}${PORTAL}`, {
      name: 'understudy_webhooks',
      value: beginSession(env, link).token,
      path: PORTAL,
      embeddable: true,
    });
  },
} satisfies Partial<Operations>;
