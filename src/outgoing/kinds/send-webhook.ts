import type { Contract } from '../../contract/contract.ts';
import type { Environment } from '../../environments/environment.ts';
import { payloadOf } from '../../events/view.ts';
import type { Rows } from '../../world/schema.ts';
import type { Tables } from '../../world/world.ts';
import { attempt, PATIENCE } from '../attempt.ts';
import { refused, type Means, type Outcome } from '../kind.ts';
import { ScriptedDelivery, type Part, type Piece } from './scripted-delivery.ts';

type Delivery = Rows['webhook_deliveries'];
type Endpoint = Rows['webhook_endpoints'];

/** Makes one attempt, as the scenarios of the environment want it. */
export async function sendWebhook(
  delivery: Delivery,
  environment: Environment,
  means: Means,
): Promise<Outcome> {
  const { tables, clock } = environment;
  const piece = collect(delivery, tables);
  if ('verdict' in piece) return piece;
  const delivering = new ScriptedDelivery(piece, environment, means);
  const put = delivering.putOff(clock.now());
  if (put) return put;
  const { payload, isOutside } = delivering.payload;
  const broken = isOutside ? undefined : complaint(means.contract, delivery.event_type, payload);
  if (broken) {
    means.report(`webhook delivery ${delivery.id} was not sent`, broken);
    return refused(broken);
  }
  const { endpoint } = piece;
  const patience = tables.settings.find('settings')?.webhook_timeout ?? PATIENCE;
  const secrets = secretsOf(endpoint, clock.now());
  const send = (part: Part) => sendPart(part, endpoint, { ...means, patience });
  return delivering.play(send, { patience, secrets });
}

/** What goes where; or why it never will. */
function collect(delivery: Delivery, tables: Tables): Piece | Outcome {
  const endpoint = tables.webhook_endpoints.find(delivery.endpoint_id);
  if (!endpoint) return refused(`webhook endpoint ${delivery.endpoint_id} is gone`);
  // Unverified: as Svix has it, what waited for an endpoint is not sent once that is switched off.
  if (!endpoint.enabled) return refused(`webhook endpoint ${endpoint.id} is disabled`);
  const event = tables.events.find(delivery.event_id);
  if (!event) return refused(`event ${delivery.event_id} is gone: there is nothing to send`);
  return { delivery, endpoint, payload: payloadOf(tables, event) };
}

async function sendPart(
  { headers, body }: Part,
  { kind, url = '' }: Endpoint,
  means: Means & { patience: number },
): Promise<Outcome> {
  if (kind === 'inbox') return { verdict: 'delivered', attempts: [{ duration_ms: 0, status: 200 }] };
  const all = { 'user-agent': means.userAgent, 'content-type': 'application/json', ...headers };
  return attempt({ url, headers: all, body }, means);
}

/** The newest first. */
const secretsOf = ({ secret, old_secrets = [] }: Endpoint, now: number): string[] => [
  secret,
  ...old_secrets.filter(({ expires_at }) => Date.parse(expires_at) > now).map((old) => old.secret),
];

/** How what is to be sent breaks the document; a fault of ours, or of rows that a tester has put there. */
function complaint(contract: Contract, type: string, payload: unknown): string | undefined {
  const complaints = contract.messageComplaints(type, structuredClone(payload));
  if (complaints.length === 0) return undefined;
  const told = complaints.map(({ path, message }) => `${path} ${message}`.trim()).join('; ');
  return `payload breaks the contract: ${type}: ${told}`;
}
