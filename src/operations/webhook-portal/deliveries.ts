import { redeliver } from '../../webhooks/endpoints.ts';
import type { Operations } from '../handler.ts';
import { deliveryPage } from './delivery-page.ts';
import { goOn, submitting, visiting } from './session.ts';

export const deliveryPages = {
  WebhookPortal_ShowDelivery({ path, cookies }, env) {
    return visiting(env, cookies, (visit) =>
      deliveryPage(visit, env.webhook_deliveries.get(path.delivery_id)),
    );
  },

  WebhookPortal_Redeliver({ path, cookies, body }, env) {
    return submitting(env, cookies, body, (visit) => {
      const { id } = redeliver(env, env.webhook_deliveries.get(path.delivery_id));
      return goOn(visit, `/deliveries/${id}`, { told: 'redelivered' });
    });
  },
} satisfies Partial<Operations>;
