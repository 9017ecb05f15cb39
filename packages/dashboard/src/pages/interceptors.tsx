import { useSignal } from '@preact/signals';
import type { JournalEntry, Row } from '@understudy/client/control';
import { useAction, useData } from '../data.ts';
import { distance, useNow } from '../now.ts';
import { bound } from '../parts/fields.tsx';
import { InterceptorCall, type InterceptorExchange } from '../parts/interceptor-call.tsx';
import { Badge, Complaint, Do, Empty, Field, Heading, Json, Time } from '../parts/parts.tsx';
import { href } from '../route.ts';
import { callService, environment } from '../session.ts';

type Interceptor = Row<'interceptors'>;

/** One call of an interceptor, and the call to the service that caused it. */
interface CausedExchange {
  exchange: InterceptorExchange;
  entry: JournalEntry;
}

/** How many of the latest calls the page reads. */
const MOST = 200;

/** Newest first. */
async function latestCalls(): Promise<CausedExchange[]> {
  const entries = await environment.value.requests.list({ limit: MOST });
  return entries
    .flatMap((entry) => (entry.interceptors ?? []).map((exchange) => ({ exchange, entry })))
    .toReversed();
}

/** The interceptors, and what each was asked. */
export function InterceptorsPage() {
  const { value = [], error } = useData(
    () => environment.value.state.list('interceptors'),
    ['state', 'snapshot'],
  );
  const { value: calls, error: lost } = useData(latestCalls, ['request']);
  const now = useNow();
  return (
    <>
      <Heading title="Interceptors" />
      <Complaint of={error ?? lost} />
      <section class="card">
        <h2>Interceptors</h2>
        {value.length === 0 && (
          <Empty>No interceptor. Create one through the API, or load the scenario interceptor-denies.</Empty>
        )}
        {value.map((interceptor) => (
          <OneInterceptor key={interceptor.id} interceptor={interceptor} now={now} />
        ))}
      </section>
      <Calls calls={calls ?? []} />
    </>
  );
}

interface OneInterceptorProps {
  interceptor: Interceptor;
  now: number | undefined;
}

function OneInterceptor({ interceptor, now }: OneInterceptorProps) {
  const { id, display_name, trigger_point, enabled, api_url, timeout_ms, failure_policy } = interceptor;
  const { last_executed_at: last } = interceptor;
  const action = useAction();
  const turn = enabled ? 'disable' : 'enable';
  return (
    <article>
      <div class="bar">
        <h3>
          <a href={href('row', 'interceptors', id)}>{display_name}</a>{' '}
          <Badge kind={enabled ? 'good' : ''}>{enabled ? 'enabled' : 'disabled'}</Badge>
        </h3>
        <div class="actions">
          <Do
            action={action}
            label={`${enabled ? 'Disable' : 'Enable'} ${display_name}`}
            run={() => callService('PATCH', `/api/v1/interceptors/${id}:${turn}`)}
          >
            {enabled ? 'Disable' : 'Enable'}
          </Do>
        </div>
      </div>
      <p class="faint">
        {trigger_point} · {api_url ?? 'no address'} · {timeout_ms} ms · {failure_policy}
        {last !== undefined && now !== undefined && ` · last asked ${distance(last, now)}`}
      </p>
      <Complaint of={action.error.value} />
      <Trial interceptor={interceptor} />
    </article>
  );
}

interface Tried {
  interceptor_response?: object;
  error?: object;
  validation_error?: object;
}

/** Asks an interceptor without any consequence. */
function Trial({ interceptor: { id, display_name, trigger_point } }: { interceptor: Interceptor }) {
  const action = useAction();
  const request = useSignal(JSON.stringify({ trigger_point, interceptor_context: {}, data: {} }, null, 2));
  const answer = useSignal<Tried | undefined>(undefined);
  const ask = async () => {
    answer.value = undefined;
    const body = JSON.parse(request.value) as object;
    answer.value = await callService<Tried>('POST', `/api/v1/interceptors/${id}/test`, body);
  };
  return (
    <details>
      <summary>Try {display_name}…</summary>
      <Field label={`Request to ${display_name} (JSON)`} rows={6} {...bound(request)} />
      <Complaint of={action.error.value} />
      <Do action={action} label={`Ask ${display_name}`} run={ask}>
        Ask
      </Do>
      {answer.value && (
        <div class="tried">
          <Json label={`Answer of ${display_name}`} value={answer.value} />
        </div>
      )}
    </details>
  );
}

const Calls = ({ calls }: { calls: readonly CausedExchange[] }) => (
  <section class="card">
    <h2>Latest calls of interceptors</h2>
    <p class="faint">Those that the latest {MOST} calls to the service have caused.</p>
    {calls.length === 0 && <Empty>No interceptor was asked yet.</Empty>}
    <ul class="plain rows">
      {calls.map(({ exchange, entry }, index) => (
        // A call may ask several interceptors.
        // oxlint-disable-next-line react/no-array-index-key
        <li key={`${entry.id} ${index}`}>
          <span class="faint">
            <a href={href('request', entry.id)}>{entry.operation ?? entry.path}</a> · <Time at={entry.time} />
          </span>
          <InterceptorCall call={exchange} number={`${entry.id} ${index + 1}`} />
        </li>
      ))}
    </ul>
  </section>
);
