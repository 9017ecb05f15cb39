import { redeliver } from '../../webhooks/endpoints.ts';
import type { Operations } from '../handler.ts';
import { deliveryPage } from './delivery-page.ts';
import { redirectTo, withSubmittedForm, withVisit } from './visit.ts';

export const deliveryPages = {
  WebhookPortal_ShowDelivery({ path, cookies }, env) {
    return withVisit(env, cookies, (visit) =>
      deliveryPage(visit, env.webhook_deliveries.get(path.delivery_id)),
    );
  },

  WebhookPortal_Redeliver({ path, cookies, body }, env) {
    return withSubmittedForm(env, cookies, body, (visit) => {
      const { id } = redeliver(env, env.webhook_deliveries.get(path.delivery_id));
      return redirectTo(visit, `/deliveries/${id}`, { told: 'redelivered' });
    });
  },
} satisfies Partial<Operations>;
