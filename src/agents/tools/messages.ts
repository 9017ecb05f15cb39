import { unchecked, type DeliveryPage, type Mail, type WebhookDelivery } from '../../client/control.ts';
import { clipped, cutText, fitting } from '../size.ts';
import {
  ADDS,
  from,
  LIST,
  OBJECT,
  optional,
  READS,
  TEXT,
  tool,
  COUNT_TO_WAIT_FOR,
  WAIT,
  waiting,
  type WaitArguments,
} from '../tool.ts';

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
    title: 'Read or wait for mails',
    description:
      'Lists the mails that the service would have sent (invitations, codes, links), latest last, each with its text and with the code or link that it contains. With `wait`, first waits until a mail matches.',
    input: {
      to: from('Control_ListMails'),
      kind: from('Control_ListMails'),
      since: from('Control_WaitForMail'),
      limit: {
        type: 'integer',
        minimum: 1,
        description: 'The largest number of mails.',
        default: USUAL_LIMIT,
      },
      wait: WAIT,
    },
    output: { mails: LIST, total: { type: 'integer' } },
    hints: READS,
    async run({ wait, since, limit = USUAL_LIMIT, ...filter }, { environment: { mail }, signal }) {
      const waited = waiting({ wait }, signal);
      if (waited) await mail.wait({ ...filter, ...(since !== undefined && { since }) }, waited.options);
      const all = await mail.list(filter);
      const later = since === undefined ? all : all.slice(all.findIndex(({ id }) => id === since) + 1);
      const mails = fitting(later.slice(-limit).map(mailView).toReversed()).toReversed();
      const head = `${mails.length} of ${later.length} mails.`;
      return { text: [head, ...mails.map(mailText)].join('\n\n'), data: { mails, total: later.length } };
    },
  }),

  tool<DeliveryPage & WaitArguments>({
    name: 'list_deliveries',
    title: 'List or wait for webhook deliveries',
    description:
      'Lists the deliveries of events to webhook endpoints, oldest first, with payload and attempts. With `wait`, first waits until `count` deliveries match; without `status`, it waits for finished ones.',
    input: {
      type: from('Control_ListWebhookDeliveries'),
      endpoint: from('Control_ListWebhookDeliveries'),
      status: from('Control_ListWebhookDeliveries'),
      since: from('Control_ListWebhookDeliveries'),
      limit: from('Control_ListWebhookDeliveries', { default: USUAL_LIMIT }),
      wait: WAIT,
      count: COUNT_TO_WAIT_FOR,
    },
    output: { deliveries: LIST, more: optional(TEXT) },
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
        data: { deliveries, ...(more !== undefined && { more }) },
      };
    },
  }),

  tool<{ type: string; organization_id?: string; data?: object }>({
    name: 'trigger_event',
    title: 'Emit an event',
    description:
      'Emits an event with sample data to the webhook endpoints, without changing any row: to test the receiver of webhooks. list_deliveries shows what was sent.',
    input: {
      type: from('Control_TriggerEvent'),
      organization_id: from('Control_TriggerEvent'),
      data: {
        type: 'object',
        description: 'Values that replace those of the sample data; null removes a value.',
      },
    },
    required: ['type'],
    output: { id: TEXT, type: TEXT, occurred_at: TEXT, data: OBJECT },
    hints: ADDS,
    async run({ type, organization_id: organizationId, data }, { environment: { webhooks } }) {
      const event = await webhooks.trigger(unchecked(type), {
        ...(data && { data: { ...data } }),
        ...(organizationId !== undefined && { organizationId }),
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
  const sent = `${attempts.length} ${attempts.length === 1 ? 'attempt' : 'attempts'}`;
  return `${id} ${event_type} to ${url ?? endpoint_id}: ${status}, ${sent}\n  ${JSON.stringify(payload)}`;
}
