import { useState } from 'preact/hooks';
import {
  unchecked,
  type JournalEntry,
  type LoadedScenario,
  type ScenarioList,
} from '@understudy/client/control';
import type { ReferenceOperation } from '../server/reference/shapes.ts';
import { globTest, pathTest } from '@understudy/text/glob';
import { isObject } from '@understudy/text/json';
import { useAction, useData } from '../data.ts';
import { Badge, Complaint, Do, Empty, Prose, statusKind, Time } from '../parts/parts.tsx';
import { href } from '../route.ts';
import { environment } from '../session.ts';

interface OfOperation {
  operation: ReferenceOperation;
}

const LATEST = 10;

/** The latest calls of the operation, the events that they caused, and its share of the coverage. */
export function LatestCalls({ operation: { id } }: OfOperation) {
  const { value, error } = useData(
    () => environment.value.requests.list({ operation: unchecked(id), limit: LATEST }),
    ['request'],
    id,
  );
  const calls = value?.toReversed() ?? [];
  const events = [...new Set(calls.flatMap(eventsOf))];
  return (
    <section class="card" aria-label="Its calls">
      <h2>Its latest calls</h2>
      <Complaint of={error} />
      {value && calls.length === 0 && <Empty>This environment has no call of it.</Empty>}
      <ul class="plain rows">
        {calls.map(({ id: call, status, method, path, time, scenario }) => (
          <li key={call}>
            <Badge kind={statusKind(status)}>{status ?? 'none'}</Badge>{' '}
            <a href={href('request', call)}>
              {method} {path}
            </a>{' '}
            <span class="faint">
              <Time at={time} /> {scenario.name}
            </span>
          </li>
        ))}
      </ul>
      {events.length > 0 && (
        <p>
          These calls caused{' '}
          {events.map((type) => (
            <code key={type}>{type} </code>
          ))}
          (see <a href={href('webhooks')}>Webhooks</a>).
        </p>
      )}
      <CoverageOf id={id} />
    </section>
  );
}

/** The types of the events that the call has added. */
const eventsOf = ({ changes }: JournalEntry): string[] =>
  changes.flatMap(({ op, path, value }) =>
    op === 'add' && /^\/events\/[^/]+$/.test(path) && isObject(value) && typeof value['type'] === 'string'
      ? [value['type']]
      : [],
  );

/** The report is large, so it is read when this is opened. */
function CoverageOf({ id }: { id: string }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details class="asked" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Which of its statuses were seen</summary>
      {isOpen && <Statuses id={id} />}
    </details>
  );
}

function Statuses({ id }: { id: string }) {
  const { value, error } = useData(() => environment.value.coverage(), ['request'], id);
  const found = value?.operations.find((each) => each.id === id);
  return (
    <>
      <Complaint of={error} />
      {value && !found && <Empty>The coverage does not count this operation.</Empty>}
      {found && (
        <p>
          {found.calls === 1 ? '1 call' : `${found.calls} calls`}.{' '}
          {found.responses.map(({ status, seen, expected }) => (
            <Badge key={status} kind={seen > 0 ? 'good' : expected ? 'bad' : ''}>
              {status}: {seen > 0 ? `${seen} ×` : 'not seen'}
            </Badge>
          ))}
        </p>
      )}
    </>
  );
}

type Available = ScenarioList['available'][number];

/** The scenarios with a rule that may apply to a call of the operation. */
export function ScenariosOf({ operation }: OfOperation) {
  const { value, error } = useData(() => environment.value.scenarios.list(), ['scenario', 'request']);
  const { available = [], loaded = [] } = value ?? {};
  const concerned = available.filter(({ on }) => on.some((each) => concerns(each, operation)));
  const active = loaded.filter(({ rules }) => rules.some(({ on }) => concerns(on, operation)));
  return (
    <section class="card" aria-label="Scenarios">
      <h2>Scenarios that concern it</h2>
      <Complaint of={error} />
      {active.map((scenario) => (
        <LoadedLine key={scenario.id} scenario={scenario} operation={operation} />
      ))}
      {value && concerned.length === 0 && <Empty>No scenario has a rule for this operation alone.</Empty>}
      <ul class="plain rows">
        {concerned.map((scenario) => (
          <LoadableLine key={scenario.name} scenario={scenario} operation={operation} />
        ))}
      </ul>
    </section>
  );
}

const LoadedLine = ({
  scenario: { id, name, rules },
  operation,
}: OfOperation & { scenario: LoadedScenario }) => (
  <p>
    <Badge kind="note">loaded</Badge> <a href={href('scenarios')}>{name}</a>{' '}
    {rules
      .filter(({ on }) => concerns(on, operation))
      .map((rule, index) => (
        // A rule has no name, only an index.
        // oxlint-disable-next-line react/no-array-index-key
        <Badge key={`${id} ${index}`} kind={rule.hits > 0 ? 'good' : ''}>
          {rule.hits} applied
        </Badge>
      ))}
  </p>
);

function LoadableLine({ scenario, operation }: OfOperation & { scenario: Available }) {
  const { name, description, params } = scenario;
  const action = useAction();
  const needs = Object.entries(params).filter(([, { required }]) => required);
  const given = Object.hasOwn(params, 'operation') ? { operation: operation.id } : undefined;
  const load = () => environment.value.scenarios.load(unchecked(name), given);
  return (
    <li>
      <div class="bar">
        <strong>{name}</strong>
        {needs.length === 0 ? (
          <Do action={action} label={`Load ${name}`} run={load}>
            Load
          </Do>
        ) : (
          <a href={href('scenarios')}>needs {needs.map(([each]) => each).join(', ')}</a>
        )}
      </div>
      <p class="faint">
        <Prose text={description} />
      </p>
      <Complaint of={action.error.value} />
    </li>
  );
}

/** Whether a rule with this `on` may apply to a call of the operation. */
function concerns(on: unknown, operation: ReferenceOperation): boolean {
  if (operation.document === 'control') return false;
  if (typeof on === 'string') return globTest(on)(operation.id);
  if (Array.isArray(on)) return on.some((each) => concerns(each, operation));
  const { method, path } = (on ?? {}) as { method?: string; path?: string };
  return operation.addresses.some(
    (address) =>
      (method === undefined || method === address.method) &&
      (path === undefined || pathTest(address.path)(path) || pathTest(path)(address.path)),
  );
}
