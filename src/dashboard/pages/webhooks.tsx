import { useAction, useData } from '../data.ts';
import { useNow } from '../now.ts';
import { openTab } from '../open-tab.ts';
import { Complaint, Do, Heading } from '../parts/parts.tsx';
import { callService } from '../service.ts';
import { environment } from '../session.ts';
import { Deliveries } from '../webhooks/deliveries.tsx';
import { Endpoints } from '../webhooks/endpoints.tsx';
import { TestEvent } from '../webhooks/test-event.tsx';

const MOST = 200;

/** Where events go, and how each delivery went. */
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
        <Do action={action} run={() => environment.value.webhooks.deliveries.clear()}>
          Clear deliveries
        </Do>
      </Heading>
      <Complaint of={endpoints.error ?? deliveries.error ?? action.error.value} />
      <Endpoints endpoints={endpoints.value ?? []} now={now} />
      <TestEvent />
      <Deliveries
        deliveries={(deliveries.value ?? []).toReversed()}
        endpoints={endpoints.value ?? []}
        now={now}
        followsMachine={clock.value?.mode === 'real'}
      />
    </>
  );
}
