import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { useAction } from '../data.ts';
import { calls, followJournal, paused, restart, resume, waiting, type CallLine } from '../journal.ts';
import { Badge, Complaint, Do, Empty, Heading, statusKind } from '../parts/parts.tsx';
import { VirtualList } from '../parts/virtual-list.tsx';
import { href } from '../route.ts';
import { environment } from '../session.ts';

/** The filter stays while the reader looks at one call and comes back. */
const filter = signal('');
const status = signal('');
const protocol = signal('');

const STATUSES = ['', '2xx', '3xx', '4xx', '5xx', 'no answer'];
const PROTOCOLS = ['', 'http', 'grpc'];

function matches(line: CallLine): boolean {
  const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
  const wanted = status.value;
  const isWanted =
    wanted === '' || (wanted === 'no answer' ? line.status === 0 : String(line.status)[0] === wanted[0]);
  return (
    isWanted && line.protocol.startsWith(protocol.value) && words.every((word) => line.text.includes(word))
  );
}

/** Every call to the service, the newest first, as they come. */
export function RequestsPage() {
  useEffect(() => followJournal(), []);
  const action = useAction();
  const shown = calls.value.filter(matches);
  return (
    <>
      <Heading title="Requests">
        <button
          type="button"
          aria-pressed={paused.value}
          onClick={() => (paused.value ? resume() : (paused.value = true))}
        >
          {paused.value ? `Resume (${waiting.value} new)` : 'Pause'}
        </button>
        <Do
          action={action}
          run={async () => {
            await environment.value.requests.clear();
            restart();
          }}
        >
          Clear
        </Do>
      </Heading>
      <Complaint of={action.error.value} />
      <Filter count={shown.length} />
      {shown.length === 0 ? (
        <Nothing />
      ) : (
        <VirtualList items={shown} label="Calls" row={row} keyOf={({ id }) => id} />
      )}
    </>
  );
}

const Filter = ({ count }: { count: number }) => (
  <form class="filter" role="search" onSubmit={(event) => event.preventDefault()}>
    <input
      type="search"
      aria-label="Filter by operation, path, method, id or scenario"
      placeholder="Operation, path, method, scenario…"
      value={filter.value}
      onInput={(event) => (filter.value = event.currentTarget.value)}
    />
    <select
      aria-label="Status"
      value={status.value}
      onChange={(event) => (status.value = event.currentTarget.value)}
    >
      {STATUSES.map((each) => (
        <option key={each} value={each}>
          {each || 'Any status'}
        </option>
      ))}
    </select>
    <select
      aria-label="Protocol"
      value={protocol.value}
      onChange={(event) => (protocol.value = event.currentTarget.value)}
    >
      {PROTOCOLS.map((each) => (
        <option key={each} value={each}>
          {each === '' ? 'Any protocol' : each === 'http' ? 'HTTP' : 'gRPC'}
        </option>
      ))}
    </select>
    <span class="faint" role="status">
      {count === 1 ? '1 call' : `${count} calls`}
    </span>
  </form>
);

const Nothing = () =>
  calls.value.length > 0 ? (
    <Empty>No call matches the filter.</Empty>
  ) : (
    <Empty>
      No calls yet. Point an SDK at <code>{location.origin}</code>, and its calls appear here.
    </Empty>
  );

const row = (line: CallLine) => (
  <a class="call" href={href('request', line.id)}>
    <time dateTime={line.time}>{line.time.slice(11, 23)}</time>
    <Badge kind={statusKind(line.status)}>{line.status || 'none'}</Badge>
    <span class="method">{line.protocol.startsWith('grpc') ? 'gRPC' : line.method}</span>
    <span class="operation">{line.operation ?? line.path}</span>
    <span class="path">{line.path}</span>
    <span class="scenario">{line.scenario}</span>
    <span class="duration">{line.duration === undefined ? '' : `${line.duration.toFixed(1)} ms`}</span>
  </a>
);
