import type { Tables } from './table-spec.ts';

export const webhookPortalTables = {
  webhook_portal_links: {
    noun: 'webhook portal link',
    schema: 'WebhookPortalLinkRow',
    history: 'oldest',
    indexes: { token: (l) => l.token },
  },
  webhook_portal_sessions: {
    noun: 'webhook portal session',
    schema: 'WebhookPortalSessionRow',
    history: 'oldest',
    indexes: { token: (s) => s.token },
  },
} satisfies Pick<Tables, 'webhook_portal_links' | 'webhook_portal_sessions'>;
