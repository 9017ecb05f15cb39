import { listensTo } from '../../events/filter.ts';
import { EVENT_TYPES } from '../../events/types.ts';
import { select } from '../../pages/controls.ts';
import { html, type Html } from '../../pages/html.ts';
import { form } from '../../pages/parts.ts';
import type { Problem } from '../problem.ts';
import type { Visit } from './visit.ts';

interface Refused {
  problem: Problem;
  filled: { event_type?: string };
}

/** A section to let an event happen, with made-up data. */
export function testEventSection({ world, session }: Visit, refused?: Refused): Html {
  const endpoints = world.webhook_endpoints.list();
  const option = (type: string) => {
    const count = endpoints.filter((endpoint) => listensTo(endpoint, type)).length;
    return [type, count === 0 ? `${type} (no endpoint wants it)` : type] as const;
  };
  const content = html`${select({
      name: 'event_type',
      label: 'Type',
      options: EVENT_TYPES.map(option),
      value: refused?.filled.event_type,
      hint: 'It has made-up data, is in the list of events like any other, and is sent to every endpoint that wants it.',
      ...(refused && { problem: refused.problem.text }),
    })}<button class="quiet">Send test event</button>`;
  return html`<section class="card" id="test">
    <h2>Send a test event</h2>
    ${form({ action: '/ui/webhooks/test-events', csrf_token: session.csrf_token, content })}
  </section>`;
}
