import { cascade, history, yesIf, type Tables } from './table-spec.ts';

export const webhooksTables = {
  webhook_endpoints: {
    noun: 'webhook endpoint',
    schema: 'WebhookEndpointRow',
    indexes: {},
  },
  webhook_deliveries: {
    noun: 'webhook delivery',
    schema: 'WebhookDeliveryRow',
    history: 'over first',
    indexes: {
      over: (d) => yesIf(d.status === 'SUCCESS' || d.status === 'FAILED' || d.status === 'DROPPED'),
      status: (d) => d.status,
      endpoint_id: (d) => d.endpoint_id,
      event_id: (d) => d.event_id,
    },
    references: { endpoint_id: cascade('webhook_endpoints'), event_id: history('events') },
    deadline: {
      at: (d) => d.next_attempt_at,
      expired: ({ next_attempt_at: _, ...due }) => due,
    },
  },
} satisfies Pick<Tables, 'webhook_endpoints' | 'webhook_deliveries'>;
