import { useEffect } from 'preact/hooks';
import { useAction, useData } from '../data.ts';
import { CopyVariables } from '../environments/listed.tsx';
import { Badge, Complaint, Do, Empty, Heading, statusKind } from '../parts/parts.tsx';
import { VirtualList } from '../parts/virtual-list.tsx';
import type { CallLine } from '../requests/call-line.ts';
import { Filter, matches } from '../requests/filter.tsx';
import {
  calls,
  clear,
  followJournal,
  hasOlder,
  isAll,
  loadOlder,
  paused,
  resume,
  waiting,
} from '../requests/journal.ts';
import { environmentName, hrefIn } from '../route.ts';
import { environment } from '../session.ts';

/** Every call to the service, the newest first, as they come. */
export function RequestsPage() {
  useEffect(() => followJournal(), []);
  const action = useAction();
  const shown = calls.value.filter(matches());
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
        <Do action={action} run={clear}>
          Clear
        </Do>
      </Heading>
      <Complaint of={action.error.value} />
      <Filter count={shown.length} />
      {shown.length === 0 ? (
        <Nothing />
      ) : (
        <VirtualList items={shown} label="Calls" row={row} keyOf={({ key }) => key} />
      )}
      {hasOlder.value && (
        <p class="older">
          <Do action={action} run={loadOlder}>
            Load older calls
          </Do>
        </p>
      )}
    </>
  );
}

function Nothing() {
  if (calls.value.length > 0) return <Empty>No call matches the filter.</Empty>;
  if (environmentName.value !== 'default' && !isAll.value) return <NoneInEnvironment />;
  return (
    <Empty>
      No calls yet. Point an SDK at <code>{location.origin}</code>, and its calls appear here.
    </Empty>
  );
}

/** The credentials of a call decide which environment it reaches. Those of the documentation reach `default`. */
function NoneInEnvironment() {
  const { value } = useData(() => environment.value.get(), ['none']);
  return (
    <>
      <Empty>
        No calls yet. Start your application with the variables of {environmentName.value}, and its calls
        appear here.
      </Empty>
      {value && <CopyVariables of={value} />}
    </>
  );
}

const row = (line: CallLine) => (
  <a class={isAll.value ? 'call of-all' : 'call'} href={hrefIn(line.environment, 'request', line.id)}>
    <time dateTime={line.time}>{line.time.slice(11, 23)}</time>
    <Badge kind={statusKind(line.status)}>{line.status || 'none'}</Badge>
    <span class="method">{line.protocol.startsWith('grpc') ? 'gRPC' : line.method}</span>
    {isAll.value && <span class="environment">{line.environment}</span>}
    <span class="operation">{line.operation ?? line.path}</span>
    <span class="path">{line.path}</span>
    <span class="scenario">{line.scenario}</span>
    <span class="duration">{line.duration === undefined ? '' : `${line.duration.toFixed(1)} ms`}</span>
  </a>
);
