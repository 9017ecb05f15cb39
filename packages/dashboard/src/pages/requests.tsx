import { useEffect } from 'preact/hooks';
import { serviceUrl } from '../browser.ts';
import { useAction, useData, type Action } from '../data.ts';
import { CopyVariables } from '../environments/listed.tsx';
import { Asking, Badge, Complaint, Do, Empty, Heading, statusKind } from '../parts/parts.tsx';
import { VirtualList } from '../parts/virtual-list.tsx';
import { callAddress, filter, isAll, isNarrow, selected } from '../requests/call-filter.ts';
import type { CallLine } from '../requests/call-line.ts';
import { Columns } from '../requests/columns.tsx';
import { Filter } from '../requests/filter.tsx';
import {
  calls,
  clear,
  complaint,
  counts,
  followJournal,
  hasOlder,
  isOutdated,
  loadOlder,
  MOST,
  paused,
  resume,
  waiting,
} from '../requests/journal.ts';
import { Overview } from '../requests/overview.tsx';
import { changeQuery, environmentName } from '../route.ts';
import { environment } from '../session.ts';

/** The calls to the service that match the filter, as they come. */
export function RequestsPage() {
  useEffect(() => followJournal(), []);
  const action = useAction();
  const shown = calls.value;
  const looked = shown.findIndex(isSelected);
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
        <Clearing />
      </Heading>
      <Complaint of={complaint.value ?? action.error.value} />
      <Filter />
      <Overview />
      <div class={isAll.value ? 'calls of-all' : 'calls'} aria-busy={isOutdated.value}>
        {shown.length === 0 ? (
          <Nothing />
        ) : (
          <>
            <Columns />
            <VirtualList
              key={JSON.stringify(filter.value)}
              items={shown}
              label="Calls"
              row={row}
              keyOf={({ key }) => key}
              start={Math.max(0, looked)}
            />
          </>
        )}
      </div>
      <Rest action={action} />
    </>
  );
}

/** In the list of all environments, a call of another one has its environment in the address. */
const nameOf = ({ environment: at, id }: CallLine) => (at === environmentName.value ? id : `${at}/${id}`);

const isSelected = (line: CallLine) => selected.value === nameOf(line);

/** What the list leaves out of the calls that match. */
function Rest({ action }: { action: Action }) {
  const [shown, total] = [calls.value.length, counts.value?.total ?? 0];
  if (shown === 0 || shown >= total) return null;
  const text = (count: number) => count.toLocaleString('en');
  const { sort } = filter.value;
  const reason =
    sort !== undefined
      ? `The list has the first ${text(shown)} of ${text(total)} calls in this order.`
      : shown >= MOST
        ? `The list has the latest ${text(MOST)} of ${text(total)} calls. A narrower filter shows older ones.`
        : `The list has the latest ${text(shown)} of ${text(total)} calls.`;
  return (
    <p class="older">
      {hasOlder.value && (
        <Do action={action} run={loadOlder}>
          Load older calls
        </Do>
      )}{' '}
      <span class="faint">{reason}</span>
    </p>
  );
}

/** Asks first, because nothing brings calls back. */
const Clearing = () =>
  calls.value.length === 0 && !counts.value?.kept ? null : (
    <Asking
      question={`Delete ${isAll.value ? 'the calls of all environments' : `the calls of ${environmentName.value}`}, also those that the filter leaves out? This cannot be undone.`}
      confirm="Delete the calls"
      keep="Keep them"
      run={clear}
    >
      Clear…
    </Asking>
  );

function Nothing() {
  if (!counts.value) return <Empty>Loading…</Empty>;
  if (complaint.value !== undefined || (isNarrow.value && counts.value.kept > 0))
    return <Empty>No call matches the filter.</Empty>;
  if (environmentName.value !== 'default' && !isAll.value) return <NoneInEnvironment />;
  return (
    <Empty>
      No calls yet. Point an SDK at <code>{serviceUrl()}</code>, and its calls appear here.
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

/** Where there is little room, the name of the service goes first. */
function OperationName({ name }: { name: string }) {
  const [, service, method] = /^([A-Za-z]+_)(.+)$/.exec(name) ?? [];
  return service === undefined ? (
    <>{name}</>
  ) : (
    <>
      <span class="service">{service}</span>
      {method}
    </>
  );
}

const row = (line: CallLine) => (
  <a
    class="call"
    href={callAddress(line.environment, line.id)}
    aria-current={isSelected(line) ? 'true' : undefined}
    onClick={() => changeQuery({ selected: nameOf(line) })}
  >
    <time dateTime={line.time}>{line.time.slice(11, 23)}</time>
    <Badge kind={line.isExpected ? 'note' : statusKind(line.status)}>{line.status || 'none'}</Badge>
    <span class="method">{line.protocol.startsWith('grpc') ? 'gRPC' : line.method}</span>
    {isAll.value && <span class="environment">{line.environment}</span>}
    <span class="operation">
      <OperationName name={line.operation ?? line.path} />
    </span>
    <span class="path">{line.path}</span>
    <span class="scenario">{line.isExpected ? 'no token yet' : line.scenario}</span>
    <span class="duration">{line.duration === undefined ? '' : `${line.duration.toFixed(1)} ms`}</span>
  </a>
);
