import { redeliver } from '../../events/endpoints.ts';
import type { Operations } from '../handler.ts';
import { deliveryPage } from './delivery-page.ts';
import { goOn, submitting, visiting } from './visit.ts';

export const deliveryPages = {
  WebhookPortal_ShowDelivery({ path, cookies }, world) {
    return visiting(world, cookies, (visit) =>
      deliveryPage(visit, world.webhook_deliveries.get(path.delivery_id)),
    );
  },

  WebhookPortal_Redeliver({ path, cookies, body }, world) {
    return submitting(world, cookies, body, (visit) => {
      const { id } = redeliver(world, world.webhook_deliveries.get(path.delivery_id));
      return goOn(visit, `/deliveries/${id}`, { told: 'redelivered' });
    });
  },
} satisfies Partial<Operations>;
