import { Redirect } from '../custom-reply.ts';
import type { Operations } from '../handler.ts';
import { writeCookie } from '../sign-in/device.ts';
import { failurePage } from './failure-page.ts';
import { beginSession, PORTAL } from './session.ts';

export const openLink = {
  WebhookPortal_Open({ path: { link_token } }, env) {
    const link = env.webhook_portal_links.findBy('token', link_token);
    if (!link) return failurePage(env, 'unknown');
    if (env.clock.isPast(link.expires_at)) return failurePage(env, 'expired');
    const { token } = beginSession(env, link);
    const cookie = writeCookie(env, 'understudy_webhooks', token, { path: PORTAL, embeddable: true });
    return new Redirect(`${env.baseUrl}${PORTAL}`, { cookies: [cookie] });
  },
} satisfies Partial<Operations>;
