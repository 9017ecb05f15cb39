import { Redirect } from '../answer.ts';
import type { Operations } from '../handler.ts';
import { writeCookie } from '../sign-in/cookies.ts';
import { failurePage } from './failure-page.ts';
import { beginSession } from './session.ts';
import { PORTAL } from './visit.ts';

export const openLink = {
  WebhookPortal_Open({ path: { link_token } }, world) {
    const link = world.webhook_portal_links.findBy('token', link_token);
    if (!link) return failurePage(world, 'unknown');
    if (world.clock.isPast(link.expires_at)) return failurePage(world, 'expired');
    const { token } = beginSession(world, link);
    const cookie = writeCookie(world, 'understudy_webhooks', token, { path: PORTAL, embeddable: true });
    return new Redirect(`${world.baseUrl}${PORTAL}`, { cookies: [cookie] });
  },
} satisfies Partial<Operations>;
