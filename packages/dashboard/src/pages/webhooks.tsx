import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { openTab } from '../browser.ts';
import { useAction, useData } from '../data.ts';
import { useNow } from '../now.ts';
import { bound } from '../parts/fields.tsx';
import { Asking, Complaint, Do, Heading, Field } from '../parts/parts.tsx';
import { callService, readAnswer, environment } from '../session.ts';
import { Deliveries } from '../webhooks/deliveries.tsx';
import { Endpoints } from '../webhooks/endpoints.tsx';

const MOST = 200;

/** The endpoints, and the result of each delivery. */
export function WebhooksPage() {
  const endpoints = useData(() => environment.value.webhooks.endpoints(), ['state', 'clock']);
  const deliveries = useData(
    () => environment.value.webhooks.deliveries.list({ limit: MOST }),
    ['webhook', 'state'],
  );
  const clock = useData(() => environment.value.clock.get(), ['clock']);
  const now = useNow();
  const action = useAction();
  const openPortal = async () => {
    const { url } = await callService<{ url: string }>('GET', '/api/v1/webhooks/portal-url');
    openTab(url);
  };
  return (
    <>
      <Heading title="Webhooks">
        <Do action={action} run={openPortal}>
          Open the webhook portal
        </Do>
        {!!deliveries.value?.length && (
          <Asking
            question={`Delete the deliveries of ${environment.value.name}? This cannot be undone.`}
            confirm="Delete the deliveries"
            keep="Keep them"
            run={() => environment.value.webhooks.deliveries.clear()}
          >
            Clear deliveries…
          </Asking>
        )}
      </Heading>
      <Complaint of={endpoints.error ?? deliveries.error ?? action.error.value} />
      <Endpoints endpoints={endpoints.value ?? []} now={now} />
      <TestEvent />
      <Deliveries
        deliveries={(deliveries.value ?? []).toReversed()}
        isCut={deliveries.value?.length === MOST}
        endpoints={endpoints.value ?? []}
        now={now}
        followsMachine={clock.value?.mode === 'real'}
      />
    </>
  );
}

/** The types of event of the contract. */
async function eventTypes(): Promise<string[]> {
  const { webhooks } = await readAnswer<{ webhooks: Record<string, { post: { operationId: string } }> }>(
    await fetch('../openapi.json'),
  );
  return Object.values(webhooks).flatMap(({ post }) => /^webhook\.(.+)$/.exec(post.operationId)?.[1] ?? []);
}

/** Emits an event with sample data, as the service's own test events do. */
function TestEvent() {
  const types = useSignal<string[]>([]);
  const type = useSignal('organization.created');
  const action = useAction();
  useEffect(() => {
    void action.run(async () => (types.value = await eventTypes()));
  }, []);
  return (
    <section class="card">
      <h2>Send a test event</h2>
      <div class="row">
        <Field
          label="Type of the event"
          hint="The event has made-up data. Every endpoint that listens to this type gets it."
          list={types.value}
          {...bound(type)}
        />
        <Do
          action={action}
          run={() => callService('POST', `/api/v1/webhooks/test-event/${encodeURIComponent(type.value)}`)}
        >
          Send a test event
        </Do>
      </div>
      <Complaint of={action.error.value} />
    </section>
  );
}
