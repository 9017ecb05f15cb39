import { isEventType, EVENT_TYPES } from '../webhooks/events/types.ts';
import { recordEvent, type NewEvent } from '../webhooks/event-record.ts';
import { payloadOf } from '../webhooks/events/view.ts';
import { invalidArgument } from '../errors.ts';
import { sampleEvent } from '../operations/events/sample-events.ts';
import { mergePatch } from '../text/json.ts';
import { suggest } from '../text/suggestion.ts';
import type { ControlOperations } from './handler.ts';

const ALL_TYPES = '; all types are in the webhooks of /openapi.json';

export const webhookEvents = {
  Control_TriggerEvent({ body }, { environment, baseUrl, simulator: { contract } }) {
    const { type, organization_id, data } = body;
    if (!isEventType(type))
      throw invalidArgument(`type: there is no event type ${type}${suggest(type, EVENT_TYPES) || ALL_TYPES}`);
    const { result } = environment.transact({ baseUrl }, (env) => {
      const { environment_id } = env.settings.get('settings');
      const sample = sampleEvent(type, env.clock.iso(), environment_id);
      const event = recordEvent(env, {
        ...sample,
        ...(organization_id !== undefined && { organization_id }),
        data: mergePatch(sample.data, data ?? {}),
      } as NewEvent);
      const payload = payloadOf(env, event);
      const [complaint] = contract.messageComplaints(type, payload);
      if (complaint)
        throw invalidArgument(
          `${complaint.path.replace('/body/', '').replaceAll('/', '.')}: ${complaint.message}`,
        );
      return payload;
    });
    return result;
  },
} satisfies Partial<ControlOperations>;
