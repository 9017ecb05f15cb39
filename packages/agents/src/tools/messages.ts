import { unchecked, type DeliveryPage, type Mail, type WebhookDelivery } from '@understudy/client/control';
import { clipped, cutText, fitting } from '../size.ts';
import {
  ADDS,
  from,
  NONE,
  READS,
  tool,
  COUNT_TO_WAIT_FOR,
  WAIT,
  waiting,
  type WaitArguments,
} from '../tool.ts';
import { counted } from '@understudy/text/words';

const USUAL_LIMIT = 20;
const MOST_MAIL = 2000;

interface MailArguments extends Omit<WaitArguments, 'count'> {
  to?: string;
  kind?: Mail['kind'];
  since?: string;
  limit?: number;
}

export const messageTools = [
  tool<MailArguments>({
    name: 'list_mails',
    description:
      'Lists the mails that the service would have sent (invitations, codes, links), latest last, with text, code and link. `wait`: first waits until one matches.',
    input: {
      to: from('Control_ListMails', { description: 'An address or a glob' }),
      kind: from('Control_ListMails', { description: NONE }),
      since: from('Control_WaitForMail', { description: 'Only mails after this id' }),
      limit: {
        type: 'integer',
        minimum: 1,
        default: USUAL_LIMIT,
      },
      wait: WAIT,
    },
    hints: READS,
    async run({ wait, since, limit = USUAL_LIMIT, ...filter }, { environment: { mail }, signal }) {
      const waited = waiting({ wait }, signal);
      if (waited) await mail.wait({ ...filter, since }, waited.options);
      const all = await mail.list(filter);
      const later = since === undefined ? all : all.slice(all.findIndex(({ id }) => id === since) + 1);
      const mails = fitting(later.slice(-limit).map(mailView).toReversed()).toReversed();
      const head = `${mails.length} of ${later.length} mails.`;
      return { text: [head, ...mails.map(mailText)].join('\n\n'), data: { mails, total: later.length } };
    },
  }),

  tool<DeliveryPage & WaitArguments>({
    name: 'list_deliveries',
    description:
      'Lists the deliveries of events to webhook endpoints, oldest first, with payload and attempts. `wait`: first waits until `count` match, finished ones unless `status` says otherwise.',
    input: {
      type: from('Control_ListWebhookDeliveries', { description: 'An event type or a glob' }),
      endpoint: from('Control_ListWebhookDeliveries', { description: 'An id, an address or a glob' }),
      status: from('Control_ListWebhookDeliveries', { description: NONE }),
      since: from('Control_ListWebhookDeliveries', { description: 'Only deliveries after this id' }),
      limit: from('Control_ListWebhookDeliveries', { default: USUAL_LIMIT, description: NONE }),
      wait: WAIT,
      count: COUNT_TO_WAIT_FOR,
    },
    hints: READS,
    async run({ wait, count, limit = USUAL_LIMIT, ...filter }, { environment: { webhooks }, signal }) {
      const waited = waiting({ wait, count }, signal);
      const found = waited
        ? (await webhooks.deliveries.waitForCount(waited.count, filter, waited.options)).slice(-limit)
        : await webhooks.deliveries.list({ ...filter, limit });
      const views = found.map(({ body: _, ...delivery }) => clipped({ ...delivery }, 4000).value);
      const deliveries = fitting(views.toReversed()).toReversed();
      const isCut = deliveries.length < found.length;
      const more = isCut ? `The latest ${deliveries.length} are shown: filter by type or status.` : undefined;
      const lines = deliveries.length === 0 ? ['No delivery matches.'] : deliveries.map(deliveryText);
      return {
        text: [...lines, ...(more === undefined ? [] : [more])].join('\n'),
        data: { deliveries, more },
      };
    },
  }),

  tool<{ type: string; like?: string; organization_id?: string; data?: object }>({
    name: 'trigger_event',
    description:
      'Emits an event with sample data to the webhook endpoints, to test their receiver. No row changes.',
    input: {
      type: from('Control_TriggerEvent', { description: 'Such as organization.created' }),
      like: from('Control_TriggerEvent', { description: 'The type whose sample an unknown `type` has' }),
      organization_id: from('Control_TriggerEvent', { description: NONE }),
      data: {
        type: 'object',
        description: 'Replaces values of the sample; null removes one',
      },
    },
    required: ['type'],
    hints: ADDS,
    async run({ type, like, organization_id: organizationId, data }, { environment: { webhooks } }) {
      const event = await webhooks.trigger(unchecked(type), {
        data: data && { ...data },
        like: like === undefined ? undefined : unchecked(like),
        organizationId,
      });
      const endpoints = (await webhooks.endpoints()).length;
      const text = `Emitted ${event.type} (${event.id}); the environment has ${endpoints} webhook endpoints.`;
      return { text: `${text}\n${JSON.stringify(event.data)}`, data: { ...event } };
    },
  }),
];

/** A mail without its HTML, which says the same as its text. */
function mailView({ html: _, text, ...mail }: Mail): Record<string, unknown> {
  return { ...mail, text: cutText(text, MOST_MAIL) };
}

function mailText(mail: Record<string, unknown>): string {
  const { id, kind, to, subject, code, link, text } = mail as unknown as Mail;
  return [
    `${id} ${kind} to ${to}: ${subject}`,
    ...(code === undefined ? [] : [`code: ${code}`]),
    ...(link === undefined ? [] : [`link: ${link}`]),
    text,
  ].join('\n');
}

function deliveryText(delivery: Record<string, unknown>): string {
  const { id, event_type, url, endpoint_id, status, attempts, payload } =
    delivery as unknown as WebhookDelivery;
  const sent = counted(attempts.length, 'attempt');
  return `${id} ${event_type} to ${url ?? endpoint_id}: ${status}, ${sent}\n  ${JSON.stringify(payload)}`;
}
