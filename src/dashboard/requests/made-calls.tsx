import type { JournalEntry } from '../../client/control.ts';
import { Badge, Json, statusKind } from '../parts/parts.tsx';
import { href } from '../route.ts';

type ProviderCall = NonNullable<JournalEntry['providers']>[number];

/** The call that made this one, the calls that it made, and the calls that were passed on to other addresses. */
export function MadeCalls({ entry: { made_by, calls = [], providers = [] } }: { entry: JournalEntry }) {
  if (made_by === undefined && calls.length + providers.length === 0) return null;
  return (
    <section class="card">
      <h2>Related calls</h2>
      <ul class="plain">
        {made_by !== undefined && (
          <li>
            The call <CallLink id={made_by} /> made this call.
          </li>
        )}
        {calls.map((id) => (
          <li key={id}>
            This call made the call <CallLink id={id} />.
          </li>
        ))}
      </ul>
      {providers.map((call, index) => (
        // The same call may be passed on twice.
        // oxlint-disable-next-line react/no-array-index-key
        <PassedOn key={index} call={call} number={index + 1} />
      ))}
    </section>
  );
}

const CallLink = ({ id }: { id: string }) => <a href={href('request', id)}>{id}</a>;

/** A call that was passed on to an address that plays a provider, and its answer. */
function PassedOn({ call, number }: { call: ProviderCall; number: number }) {
  const { provider, method, url, status, duration_ms, request, response, error } = call;
  return (
    <details class="asked">
      <summary>
        <Badge kind={status === undefined ? 'bad' : statusKind(status)}>{status ?? 'no answer'}</Badge> passed
        on to {provider}{' '}
        <span class="faint">
          {method} {url} · {duration_ms} ms
        </span>
      </summary>
      {error !== undefined && <p class="alert bad">{error}</p>}
      <h3>Sent</h3>
      <Json label={`Headers of provider request ${number}`} value={request.headers} />
      {request.body === undefined ? null : (
        <Json label={`Body of provider request ${number}`} value={request.body} />
      )}
      <h3>Answered</h3>
      {response ? (
        <>
          <Json label={`Headers of provider answer ${number}`} value={response.headers} />
          <Json label={`Body of provider answer ${number}`} value={response.body ?? ''} />
        </>
      ) : (
        <p class="faint">Nothing.</p>
      )}
    </details>
  );
}
