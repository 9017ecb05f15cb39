import type { Contract } from '../../contract/contract.ts';
import { payloadOf } from '../../events/view.ts';
import type { Rows } from '../../world/schema.ts';
import type { Tables } from '../../world/world.ts';
import { attempt, PATIENCE } from '../attempt.ts';
import { refused, type Kind, type Means, type Outcome } from '../kind.ts';
import { nextAttempt } from '../schedule.ts';
import { signatureHeaders } from '../sign.ts';

type Delivery = Rows['webhook_deliveries'];
type Endpoint = Rows['webhook_endpoints'];

/** Events on their way to endpoints, tried again by the schedule. */
export const webhooks: Kind<Delivery> = {
  laneOf({ endpoint_id }, { webhook_endpoints }) {
    return { name: endpoint_id, atOnce: webhook_endpoints.find(endpoint_id)?.max_in_flight ?? 1 };
  },

  isLocal: ({ endpoint_id }, { webhook_endpoints }) => webhook_endpoints.find(endpoint_id)?.kind === 'inbox',

  async attempt(delivery, { tables, clock }, means) {
    const endpoint = tables.webhook_endpoints.find(delivery.endpoint_id);
    if (!endpoint) return refused(`webhook endpoint ${delivery.endpoint_id} is gone`);
    // Unverified: as Svix has it, what waited for an endpoint is not sent once that is switched off.
    if (!endpoint.enabled) return refused(`webhook endpoint ${endpoint.id} is disabled`);
    const event = tables.events.find(delivery.event_id);
    if (!event) return refused(`event ${delivery.event_id} is gone: there is nothing to send`);
    const body = JSON.stringify(payloadOf(tables, event));
    const broken = complaint(means.contract, event.type, body);
    if (broken) {
      means.report(`webhook delivery ${delivery.id} was not sent`, broken);
      return refused(broken);
    }
    const now = clock.now();
    const secrets = secretsOf(endpoint, now);
    const headers = signatureHeaders('webhook', { id: delivery.id, time: now, body }, secrets);
    return withHeaders(headers, await send(endpoint, { headers, body }, tables, means));
  },

  after(delivery, verdict, now) {
    if (verdict === 'delivered') return { ...delivery, status: 'SUCCESS' };
    const next = nextAttempt(Date.parse(delivery.created_at), delivery.attempts.length);
    if (verdict === 'refused' || next === undefined) return { ...delivery, status: 'FAILED' };
    const next_attempt_at = next > now ? new Date(next).toISOString() : undefined;
    return { ...delivery, status: 'RETRYING', ...(next_attempt_at && { next_attempt_at }) };
  },
};

async function send(
  { kind, url = '' }: Endpoint,
  { headers, body }: { headers: Record<string, string>; body: string },
  { settings }: Tables,
  means: Means,
): Promise<Outcome> {
  if (kind === 'inbox') return { verdict: 'delivered', attempt: { duration_ms: 0, status: 200 } };
  const patience = settings.find('settings')?.webhook_timeout ?? PATIENCE;
  const all = { 'user-agent': means.userAgent, 'content-type': 'application/json', ...headers };
  return attempt({ url, headers: all, body }, { ...means, patience });
}

const withHeaders = (headers: Record<string, string>, { verdict, attempt }: Outcome): Outcome => {
  const { duration_ms, ...rest } = attempt;
  return { verdict, attempt: { duration_ms, headers, ...rest } };
};

/** The newest first. */
const secretsOf = ({ secret, old_secrets = [] }: Endpoint, now: number): string[] => [
  secret,
  ...old_secrets.filter(({ expires_at }) => Date.parse(expires_at) > now).map((old) => old.secret),
];

/** How what is to be sent breaks the document; a fault of ours, or of rows that a tester has put there. */
function complaint(contract: Contract, type: string, body: string): string | undefined {
  const complaints = contract.messageComplaints(type, JSON.parse(body));
  if (complaints.length === 0) return undefined;
  const told = complaints.map(({ path, message }) => `${path} ${message}`.trim()).join('; ');
  return `payload breaks the contract: ${type}: ${told}`;
}
