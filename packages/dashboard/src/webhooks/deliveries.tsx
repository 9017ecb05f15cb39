import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { WebhookDelivery, WebhookEndpoint } from '@understudy/client/control';
import { useAction } from '../data.ts';
import { distance } from '../now.ts';
import { Search } from '../parts/fields.tsx';
import { Badge, Complaint, Copy, Do, Empty, Json, Time, ValidBadge } from '../parts/parts.tsx';
import { useQueryText } from '../parts/query-text.ts';
import { href } from '../route.ts';
import { environment } from '../session.ts';
import { hasWords } from '@understudy/text/words';
import { check, type Attempt, type Checked } from './signature.ts';

const KINDS: Partial<Record<WebhookDelivery['status'], 'good' | 'bad' | 'note'>> = {
  SUCCESS: 'good',
  FAILED: 'bad',
  DROPPED: 'bad',
  RETRYING: 'note',
  HELD: 'note',
};

interface DeliveriesProps {
  /** Newest first. */
  deliveries: readonly WebhookDelivery[];
  /** Whether there may be older ones. */
  isCut: boolean;
  endpoints: readonly WebhookEndpoint[];
  now: number | undefined;
  /** Whether the clock of the environment shows the time of the machine. */
  followsMachine: boolean;
}

/** The payload, and the result of each attempt. */
export function Deliveries({ deliveries, isCut, endpoints, now, followsMachine }: DeliveriesProps) {
  const filter = useQueryText('delivery');
  const nameOf = (id: string) =>
    endpointName(
      endpoints.find((each) => each.id === id),
      id,
    );
  const shown = deliveries.filter(({ id, event_type, status, endpoint_id }) =>
    hasWords([id, event_type, status, nameOf(endpoint_id)].join(' '), filter.value),
  );
  return (
    <section class="card">
      <h2>Deliveries</h2>
      {deliveries.length === 0 && <Empty>Nothing was sent yet.</Empty>}
      {deliveries.length > 0 && (
        <Search
          label="Filter by event, status or endpoint"
          placeholder="Event, status, endpoint…"
          text={filter}
        />
      )}
      {isCut && (
        <p class="faint">
          These are the latest {deliveries.length} deliveries, and the filter searches them alone. State has{' '}
          <a href={href('state', 'webhook_deliveries')}>all of them</a>.
        </p>
      )}
      {shown.map((delivery) => (
        <OneDelivery
          key={delivery.id}
          delivery={delivery}
          endpoint={endpoints.find(({ id }) => id === delivery.endpoint_id)}
          now={now}
          followsMachine={followsMachine}
        />
      ))}
    </section>
  );
}

export const endpointName = (endpoint: WebhookEndpoint | undefined, id = ''): string =>
  endpoint?.url ?? endpoint?.description ?? (endpoint ? `inbox ${endpoint.id}` : id);

interface DeliveryProps {
  delivery: WebhookDelivery;
  endpoint: WebhookEndpoint | undefined;
  now: number | undefined;
  /** Whether the clock of the environment shows the time of the machine. */
  followsMachine: boolean;
}

/** The content is rendered while it is open: a page has hundreds. */
function OneDelivery(props: DeliveryProps) {
  const { delivery, endpoint } = props;
  const { status, event_type, created_at, attempts } = delivery;
  const isOpen = useSignal(false);
  return (
    <details class="delivery" onToggle={(event) => (isOpen.value = event.currentTarget.open)}>
      <summary>
        <Badge kind={KINDS[status]}>{status}</Badge> {event_type}{' '}
        <span class="faint">
          to {endpointName(endpoint, delivery.endpoint_id)} · <Time at={created_at} /> ·{' '}
          {attempts.length === 1 ? '1 attempt' : `${attempts.length} attempts`}
        </span>
      </summary>
      {isOpen.value && <Opened {...props} />}
    </details>
  );
}

function Opened({ delivery, endpoint, now, followsMachine }: DeliveryProps) {
  const { id, attempts, next_attempt_at, payload, body = '' } = delivery;
  const action = useAction();
  return (
    <>
      <ul class="plain">
        {attempts.map((attempt, index) => (
          <OneAttempt
            // An attempt has no name, only an index.
            // oxlint-disable-next-line react/no-array-index-key
            key={index}
            attempt={attempt}
            delivery={delivery}
            endpoint={endpoint}
            number={index + 1}
            followsMachine={followsMachine}
          />
        ))}
      </ul>
      {next_attempt_at !== undefined && (
        <p>
          Next attempt {now !== undefined && distance(next_attempt_at, now)}, at <Time at={next_attempt_at} />
        </p>
      )}
      <Complaint of={action.error.value} />
      <div class="actions below">
        <Do action={action} run={() => environment.value.webhooks.redeliver(id)}>
          Send again
        </Do>
        <Copy text={body}>Copy the body</Copy>
      </div>
      <Json label={`Payload of ${id}`} value={payload ?? 'The event is no longer stored.'} />
    </>
  );
}

interface AttemptProps {
  attempt: Attempt;
  delivery: WebhookDelivery;
  endpoint: WebhookEndpoint | undefined;
  /** From 1. */
  number: number;
  /** Whether the clock of the environment shows the time of the machine. */
  followsMachine: boolean;
}

/** One attempt: what the receiver answered, and whether the signature is right. */
function OneAttempt({ attempt, delivery, endpoint, number, followsMachine }: AttemptProps) {
  const { time, status, error, answer, duration_ms, scenario, is_duplicate, payload } = attempt;
  return (
    <li class="attempt">
      <p>
        <Badge kind={status !== undefined && status < 300 ? 'good' : 'bad'}>{status ?? 'no answer'}</Badge>{' '}
        <Time at={time} /> <span class="faint">{duration_ms} ms</span> {error}{' '}
        {is_duplicate && <Badge kind="note">sent twice</Badge>}{' '}
        {scenario && (
          <a href={href('scenarios')}>
            {scenario.name}, rules[{scenario.rule}]
          </a>
        )}
      </p>
      {answer !== undefined && answer !== '' && <Json label={`Answer to attempt ${number}`} value={answer} />}
      {payload !== undefined && <Json label={`Payload of attempt ${number}`} value={payload} />}
      {endpoint && <Signature {...{ attempt, delivery, endpoint, followsMachine }} />}
    </li>
  );
}

interface SignatureProps {
  attempt: Attempt;
  delivery: WebhookDelivery;
  endpoint: WebhookEndpoint;
  followsMachine: boolean;
}

function Signature({ attempt, delivery, endpoint, followsMachine }: SignatureProps) {
  const checked = useSignal<Checked | undefined>(undefined);
  useEffect(() => {
    void check(attempt, delivery, endpoint, followsMachine).then((known) => (checked.value = known));
  }, [attempt, endpoint.secret, followsMachine]);
  if (!checked.value) return null;
  const { steps, good, text } = checked.value;
  return (
    <details class="signature">
      <summary>
        <ValidBadge good={good} /> {text}
      </summary>
      <dl class="pairs">
        {steps.map(({ name, value }) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              <code>{value}</code>
            </dd>
          </div>
        ))}
      </dl>
    </details>
  );
}
