import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { useAction } from '../data.ts';
import { Complaint, Do, Field } from '../parts/parts.tsx';
import { callService, readAnswer } from '../service.ts';

/** The types of event of the contract. */
async function eventTypes(): Promise<string[]> {
  const { webhooks } = await readAnswer<{ webhooks: Record<string, { post: { operationId: string } }> }>(
    await fetch('/openapi.json'),
  );
  return Object.values(webhooks).flatMap(({ post }) => /^webhook\.(.+)$/.exec(post.operationId)?.[1] ?? []);
}

/** Emits an event with made-up data, as the service's own test events. */
export function TestEvent() {
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
          value={type.value}
          onInput={(text) => (type.value = text)}
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
