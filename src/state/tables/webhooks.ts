import { cascade, history, yesIf, type Tables } from './table-spec.ts';

export const webhooksTables = {
  webhook_endpoints: {
    noun: 'webhook endpoint',
    schema: 'WebhookEndpointRow',
  },
  webhook_deliveries: {
    noun: 'webhook delivery',
    schema: 'WebhookDeliveryRow',
    history: 'over first',
    indexes: {
      over: (d) => yesIf(d.status === 'SUCCESS' || d.status === 'FAILED' || d.status === 'DROPPED'),
      status: (d) => d.status,
    },
    references: { endpoint_id: cascade('webhook_endpoints'), event_id: history('events') },
    deadline: {
      at: (d) => d.next_attempt_at,
      expired: ({ next_attempt_at: _, ...due }) => due,
    },
  },
} satisfies Pick<Tables, 'webhook_endpoints' | 'webhook_deliveries'>;

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

export const outgoingTables = {
  outgoing_calls: {
    noun: 'outgoing call',
    schema: 'OutgoingCallRow',
    history: 'over first',
    indexes: {
      over: (c) => yesIf(c.status !== 'PENDING'),
      status: (c) => c.status,
    },
    references: { client_id: history('clients'), session_id: history('sessions') },
  },
} satisfies Pick<Tables, 'outgoing_calls'>;

export const eventsTables = {
  events: {
    noun: 'event',
    schema: 'EventRow',
    history: 'oldest',
    indexes: {
      type: (e) => e.type,
    },
    references: {
      organization_id: history('organizations'),
      auth_request_id: history('auth_logs'),
      interceptor_id: history('interceptors'),
      connection_id: history('connections'),
      connected_account_id: history('connected_accounts'),
    },
  },
  interceptors: {
    noun: 'interceptor',
    schema: 'InterceptorRow',
    indexes: { trigger_point: (i) => i.trigger_point },
  },
  token_templates: { noun: 'token template', schema: 'TokenTemplateRow' },
} satisfies Pick<Tables, 'events' | 'interceptors' | 'token_templates'>;
