import { useSignal } from '@preact/signals';
import { unchecked, type WebhookEndpoint } from '@understudy/client/control';
import { useAction } from '../data.ts';
import { useDraft } from '../drafts.ts';
import { distance } from '../now.ts';
import { bound } from '../parts/fields.tsx';
import { Removal, Badge, Complaint, Copy, Do, Empty, Field } from '../parts/parts.tsx';
import { environment } from '../session.ts';
import { endpointName } from './deliveries.tsx';

interface EndpointsProps {
  endpoints: readonly WebhookEndpoint[];
  now: number | undefined;
}

/** Where events go. */
export const Endpoints = ({ endpoints, now }: EndpointsProps) => (
  <section class="card">
    <h2>Endpoints</h2>
    {endpoints.length === 0 && (
      <Empty>No endpoint yet. Understudy records events, but sends them nowhere.</Empty>
    )}
    {endpoints.map((endpoint) => (
      <OneEndpoint key={endpoint.id} endpoint={endpoint} now={now} />
    ))}
    <NewEndpoint />
  </section>
);

function OneEndpoint({ endpoint, now }: { endpoint: WebhookEndpoint; now: number | undefined }) {
  const { id, enabled, event_types: types, secret, old_secrets = [] } = endpoint;
  const action = useAction();
  const { webhooks } = environment.value;
  const turn = `Turn ${enabled ? 'off' : 'on'}`;
  return (
    <article>
      <p>
        <Badge kind={enabled ? 'good' : ''}>{enabled ? 'on' : 'off'}</Badge>{' '}
        <strong>{endpointName(endpoint)}</strong>{' '}
        <span class="faint">{types?.join(', ') ?? 'every event'}</span>
      </p>
      {now !== undefined &&
        old_secrets.map(({ secret: old, expires_at }) => (
          <p key={old} class="faint">
            The former secret <code>{old}</code> also signs, and ends {distance(expires_at, now)}.
          </p>
        ))}
      <Complaint of={action.error.value} />
      <div class="actions">
        <Copy text={secret}>Copy the secret</Copy>
        <Do
          action={action}
          label={`${turn} ${id}`}
          run={() => webhooks.updateEndpoint(id, { enabled: !enabled })}
        >
          {turn}
        </Do>
        <Removal
          verb="Remove"
          name={id}
          question={`Remove the endpoint ${endpointName(endpoint)} with its secret and its deliveries?`}
          run={() => webhooks.removeEndpoint(id)}
        />
      </div>
      <Rotation id={id} />
    </article>
  );
}

function Rotation({ id }: { id: string }) {
  const action = useAction();
  const overlap = useSignal('24h');
  return (
    <details class="rotation">
      <summary>Rotate the secret…</summary>
      <Field
        label="Former secret signs for"
        hint="For example 24h. With 0s, the former secret stops at once."
        {...bound(overlap)}
      />
      <Complaint of={action.error.value} />
      <Do
        action={action}
        label={`Rotate the secret of ${id}`}
        run={() => environment.value.webhooks.rotateSecret(id, { overlap: unchecked(overlap.value) })}
      >
        Rotate the secret
      </Do>
    </details>
  );
}

function NewEndpoint() {
  const url = useDraft('endpoint address', '');
  const types = useDraft('endpoint events', '');
  const action = useAction();
  const { webhooks } = environment.value;
  const settings = () => {
    const eventTypes = types.value
      .split(/[\s,]+/)
      .filter(Boolean)
      .map((type) => unchecked(type));
    return eventTypes.length > 0 ? { eventTypes } : {};
  };
  return (
    <>
      <div class="row">
        <Field label="Add an endpoint" placeholder="http://localhost:3000/webhooks" {...bound(url)} />
        <Field
          label="Events"
          hint="For example user.*, organization.created. If empty: all events."
          {...bound(types)}
        />
        <Do action={action} run={() => webhooks.addEndpoint(url.value, settings())}>
          Add
        </Do>
        <Do action={action} run={() => webhooks.inbox(settings())}>
          Add an inbox
        </Do>
      </div>
      <p class="hint">An inbox is an endpoint that stores its deliveries instead of sending them.</p>
      <Complaint of={action.error.value} />
    </>
  );
}
