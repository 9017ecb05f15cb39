import type { JournalEntry } from '@understudy/client/control';
import { href } from '../route.ts';
import { Badge, Json } from './parts.tsx';

/** What an interceptor was sent, and what it answered. */
export type InterceptorExchange = NonNullable<JournalEntry['interceptors']>[number];

interface CallProps {
  call: InterceptorExchange;
  /** Distinguishes it from the other calls on the page. */
  number: number | string;
}

/** One call of an interceptor: the request, the answer, and the decision. */
export function InterceptorCall({ call, number }: CallProps) {
  const { interceptor_id, trigger_point, url, request, response, status, decision, duration_ms } = call;
  const { scenario, warnings = [], error } = call;
  return (
    <details class="asked">
      <summary>
        <Badge kind={decision === 'DENY' ? 'bad' : 'good'}>
          {decision === 'DENY' ? 'denied' : 'allowed'}
        </Badge>{' '}
        {trigger_point} <span class="faint">{effectOf(call)}</span>
      </summary>
      <p class="faint">
        <a href={href('row', 'interceptors', interceptor_id)}>{interceptor_id}</a> · {url} ·{' '}
        {status ?? 'no answer'} · {duration_ms} ms
        {scenario && (
          <>
            {' '}
            · <a href={href('scenarios')}>{`${scenario.name}, rules[${scenario.rule}]`}</a>
          </>
        )}
      </p>
      {error !== undefined && <p class="alert bad">{error}</p>}
      {warnings.map((warning) => (
        <p key={warning} class="alert note">
          {warning}
        </p>
      ))}
      <h3>Sent</h3>
      {Object.keys(request.headers).length > 0 && (
        <Json label={`Headers of interceptor request ${number}`} value={request.headers} />
      )}
      <Json label={`Body of interceptor request ${number}`} value={request.body} />
      <h3>Answered</h3>
      {response ? <Json label={`Answer ${number}`} value={response.body} /> : <p class="faint">Nothing.</p>}
    </details>
  );
}

interface Answered {
  error?: { message?: unknown };
  response?: object;
}

/** Why it was allowed or denied, and what the interceptor added. */
function effectOf({ policy, decision, response }: InterceptorExchange): string {
  if (policy !== undefined) return `No valid answer: ${policy} ${decision === 'DENY' ? 'denies' : 'allows'}.`;
  const { error, response: added } = (response?.body ?? {}) as Answered;
  if (decision === 'DENY')
    return typeof error?.message === 'string' ? `It says: ${error.message}` : 'It gives no message.';
  const names = Object.keys(added ?? {});
  return names.length > 0 ? `It adds ${names.join(', ')}.` : 'It adds nothing.';
}
