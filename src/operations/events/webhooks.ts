import { invalidArgument } from '../../errors.ts';
import { recordEvent } from '../../events/record.ts';
import { isEventType } from '../../events/types.ts';
import { viewEvent } from '../../events/view.ts';
import type { Operations } from '../handler.ts';
import { makeLink } from '../webhook-portal/session.ts';
import { sampleEvent } from './sample-events.ts';

export const webhooks = {
  WebhookService_GetPortalURL(_, world) {
    // Unverified: the service's portal is at its delivery engine, with a token in the address.
    return { url: `${world.baseUrl}/webhooks/portal/${makeLink(world).token}` };
  },

  WebhookService_SendTestEvent({ path }, world) {
    const { event_type } = path;
    const { environment_id } = world.settings.get('settings');
    // Unverified: only types that the service itself knows can be sent.
    if (!isEventType(event_type)) throw invalidArgument(`event type ${event_type} is not known`);
    const event = recordEvent(world, sampleEvent(event_type, world.clock.iso(), environment_id));
    return { event_type, event_payload: viewEvent(world, event) };
  },
} satisfies Partial<Operations>;
