import { useSignal } from '@preact/signals';
import type { WebhookDelivery, WebhookEndpoint } from '../../client/control.ts';
import { useAction, useData, type Action } from '../data.ts';
import { Badge, Complaint, Copy, Do, Empty, Field, Heading, Json, Time } from '../parts/parts.tsx';
import { environment } from '../session.ts';

/** Where events go, and how each delivery went. */
export function WebhooksPage() {
  const endpoints = useData(() => environment.value.webhooks.endpoints(), ['state']);
  const deliveries = useData(
    () => environment.value.webhooks.deliveries({ limit: 200 }),
    ['webhook', 'state'],
  );
  const action = useAction();
  return (
    <>
      <Heading title="Webhooks">
        <Do action={action} run={() => environment.value.webhooks.clear()}>
          Clear deliveries
        </Do>
      </Heading>
      <Complaint of={endpoints.error ?? deliveries.error ?? action.error.value} />
      <Endpoints endpoints={endpoints.value ?? []} action={action} />
      <Deliveries deliveries={(deliveries.value ?? []).toReversed()} action={action} />
    </>
  );
}

const Endpoints = ({ endpoints, action }: { endpoints: readonly WebhookEndpoint[]; action: Action }) => (
  <section class="card">
    <h2>Endpoints</h2>
    {endpoints.length === 0 && <Empty>No endpoint yet: events are recorded and sent nowhere.</Empty>}
    {endpoints.map(({ id, kind, url, enabled, event_types: types, secret }) => (
      <article key={id}>
        <p>
          <Badge kind={enabled ? 'good' : ''}>{enabled ? 'on' : 'off'}</Badge> <strong>{url ?? kind}</strong>{' '}
          <span class="faint">{types?.join(', ') ?? 'every event'}</span>
        </p>
        <div class="actions">
          <Copy text={secret}>Copy the secret</Copy>
          <Do
            action={action}
            run={() => environment.value.webhooks.updateEndpoint(id, { enabled: !enabled })}
            label={`Turn ${enabled ? 'off' : 'on'} ${id}`}
          >
            Turn {enabled ? 'off' : 'on'}
          </Do>
          <Do
            action={action}
            kind="bad"
            label={`Remove ${id}`}
            run={() => environment.value.webhooks.removeEndpoint(id)}
          >
            Remove
          </Do>
        </div>
      </article>
    ))}
    <NewEndpoint />
  </section>
);

function NewEndpoint() {
  const url = useSignal('');
  const action = useAction();
  const { webhooks } = environment.value;
  return (
    <>
      <Complaint of={action.error.value} />
      <div class="row">
        <Field
          label="Add an endpoint"
          placeholder="http://localhost:3000/webhooks"
          value={url.value}
          onInput={(text) => (url.value = text)}
        />
        <Do action={action} run={() => webhooks.addEndpoint(url.value)}>
          Add
        </Do>
        <Do action={action} run={() => webhooks.inbox()}>
          Add an inbox
        </Do>
      </div>
    </>
  );
}

const KINDS: Partial<Record<WebhookDelivery['status'], 'good' | 'bad' | 'note'>> = {
  SUCCESS: 'good',
  FAILED: 'bad',
  RETRYING: 'note',
};

const Deliveries = ({ deliveries, action }: { deliveries: readonly WebhookDelivery[]; action: Action }) => (
  <section class="card">
    <h2>Deliveries</h2>
    {deliveries.length === 0 && <Empty>Nothing was sent yet.</Empty>}
    {deliveries.map((delivery) => (
      <details key={delivery.id}>
        <summary>
          <Badge kind={KINDS[delivery.status]}>{delivery.status}</Badge> {delivery.event_type}{' '}
          <span class="faint">
            <Time at={delivery.created_at} /> · {delivery.attempts.length} attempts
          </span>
        </summary>
        <ul class="plain">
          {delivery.attempts.map((attempt) => (
            <li key={attempt.time}>
              <Time at={attempt.time} /> {attempt.status ?? ''} {attempt.error ?? attempt.answer ?? ''} (
              {attempt.duration_ms} ms)
            </li>
          ))}
        </ul>
        {delivery.next_attempt_at && (
          <p>
            Next attempt at <Time at={delivery.next_attempt_at} />
          </p>
        )}
        <div class="actions">
          <Do action={action} run={() => environment.value.webhooks.redeliver(delivery.id)}>
            Send again
          </Do>
        </div>
        <Json label={`Delivery ${delivery.id}`} value={delivery} />
      </details>
    ))}
  </section>
);
