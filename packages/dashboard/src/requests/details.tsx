import { useState } from 'preact/hooks';
import { useData } from '../data.ts';
import { Json, Badge, statusKind, Empty, Complaint } from '../parts/parts.tsx';
import { readOperation } from '../reference/contract.ts';
import { EvidenceText } from '../reference/evidence.tsx';
import { plainText } from '@understudy/text/json';
import type { JournalEntry } from '@understudy/client/control';
import { href } from '../route.ts';
import { InterceptorCall } from '../parts/interceptor-call.tsx';
import { NameOfRow } from '../parts/row-link.tsx';

interface Sent {
  headers?: Record<string, unknown>;
  query?: Record<string, unknown>;
  body?: unknown;
  /** The beginning of a body that could not be read. */
  unread?: string;
  truncated?: number;
}

/** The request or the response of a call. */
export const Message = ({ title, message }: { title: string; message: Sent }) => {
  const { headers = {}, query = {} } = message;
  return (
    <section class="card">
      <h2>{title}</h2>
      {Object.keys(query).length > 0 && <Pairs title="Query" pairs={query} />}
      <Body title={title} message={message} />
      {Object.keys(headers).length > 0 && <Pairs title="Headers" pairs={headers} />}
    </section>
  );
};

function Body({ title, message: { body, unread, truncated } }: { title: string; message: Sent }) {
  const label = `${title} body`;
  return (
    <>
      <h3>Body</h3>
      {truncated !== undefined && (
        <p class="faint">The body is large ({truncated}): the journal has its beginning.</p>
      )}
      {unread !== undefined ? (
        <>
          <p class="faint">Understudy could not read the body. It begins with:</p>
          <Json label={label} value={unread} />
        </>
      ) : body === undefined || body === '' ? (
        <p class="faint">None.</p>
      ) : (
        <Json label={label} value={body} />
      )}
    </>
  );
}

const Pairs = ({ title, pairs }: { title: string; pairs: Record<string, unknown> }) => (
  <>
    <h3>{title}</h3>
    <dl class="pairs">
      {Object.entries(pairs).map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{plainText(value)}</dd>
        </div>
      ))}
    </dl>
  </>
);

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

interface EvidenceProps {
  operation: string;
  /** The rules that decided the call. */
  decided: readonly string[];
}

/** What the behaviour of the operation rests on. Loaded when it is opened. */
export function EvidenceOf(props: EvidenceProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details
      class="asked"
      open={props.decided.length > 0}
      onToggle={(event) => setOpen(event.currentTarget.open)}
    >
      <summary>How faithful is this answer?</summary>
      {isOpen && <EvidenceLoaded {...props} />}
    </details>
  );
}

function EvidenceLoaded({ operation, decided }: EvidenceProps) {
  const { value, error } = useData(() => readOperation(operation, decided), ['none'], operation);
  if (!value) return <>{error === undefined ? <Empty>Loading…</Empty> : <Complaint of={error} />}</>;
  return value.evidence ? <EvidenceText evidence={value.evidence} /> : <p>Nothing is known.</p>;
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

/** More rows than this are folded. */
const MOST_OPEN = 4;

type Changes = JournalEntry['changes'];

/** The rows that the call changed, with old and new values. */
export function ChangedRows({ changes }: { changes: Changes }) {
  const rows = diffOf(changes);
  return (
    <section class="card">
      <h2>Changed rows</h2>
      {rows.length === 0 && <Empty>The call changed nothing.</Empty>}
      {rows.map((row) => (
        <details key={`${row.collection} ${row.id}`} class="changed-row" open={rows.length <= MOST_OPEN}>
          <summary>
            <Badge kind={KINDS[row.change]}>{row.change}</Badge> {row.collection.replaceAll('_', ' ')}{' '}
            {row.id}
            <NameOfRow id={row.id} />
          </summary>
          <Diff row={row} />
        </details>
      ))}
    </section>
  );
}

const KINDS = { added: 'good', removed: 'bad', changed: 'note' } as const;

const Diff = ({ row }: { row: ChangedRow }) => (
  <>
    <table class="diff" aria-label={`What changed in ${row.id}`}>
      <tbody>
        {row.lines.map((line, index) => (
          // Two elements of a list may be added in one call.
          // oxlint-disable-next-line react/no-array-index-key
          <Line key={`${line.member} ${index}`} line={line} />
        ))}
      </tbody>
    </table>
    {row.change !== 'removed' && (
      <p>
        <a href={href('row', row.collection, row.id)}>Open the row {row.id}</a>
      </p>
    )}
  </>
);

const Line = ({ line: { member, before, after } }: { line: DiffLine }) => (
  <tr>
    <th scope="row">{member}</th>
    <td>
      {before !== undefined && <del>{before}</del>}
      {after !== undefined && <ins>{after}</ins>}
    </td>
  </tr>
);

type Change = JournalEntry['changes'][number];

interface Caused {
  type?: string;
  event_type?: string;
}

/** The events that the call caused, and their deliveries: rows that it has added. */
export function Events({ changes }: { changes: readonly Change[] }) {
  const caused = changes.flatMap(({ op, path, value }) => {
    const [, collection = '', id = '', ...more] = path.split('/').map(unescapePointer);
    const isOne = op === 'add' && more.length === 0 && CAUSED.has(collection);
    const { type, event_type: ofEvent } = (value ?? {}) as Caused;
    return isOne ? [{ collection, id, type: type ?? ofEvent ?? '' }] : [];
  });
  if (caused.length === 0) return null;
  return (
    <section class="card">
      <h2>Events and deliveries</h2>
      <ul class="plain">
        {caused.map(({ collection, id, type }) => (
          <li key={id}>
            <Badge kind={collection === 'events' ? 'note' : ''}>{CAUSED.get(collection)}</Badge> {type}{' '}
            <a href={href('row', collection, id)}>{id}</a>
          </li>
        ))}
      </ul>
    </section>
  );
}

const CAUSED = new Map([
  ['events', 'event'],
  ['webhook_deliveries', 'delivery'],
]);

type Step = JournalEntry['changes'][number];

/** One member of a row. Without `before` it is new, without `after` it is gone. */
interface DiffLine {
  /** Such as `metadata.plan`. */
  member: string;
  before: string | undefined;
  after: string | undefined;
}

interface ChangedRow {
  collection: string;
  id: string;
  change: 'added' | 'removed' | 'changed';
  lines: DiffLine[];
}

/** The steps of the patch by row. */
function diffOf(steps: readonly Step[]): ChangedRow[] {
  const rows = new Map<string, ChangedRow>();
  for (const step of steps) {
    const [, collection = '', id = '', ...names] = step.path.split('/').map(unescapePointer);
    const key = `${collection} ${id}`;
    const isWhole = names.length === 0 && step.op !== 'replace';
    const change = isWhole ? (step.op === 'add' ? 'added' : 'removed') : 'changed';
    const row = rows.get(key) ?? { collection, id, change, lines: [] };
    row.lines.push(...(isWhole ? linesOfRow(step) : [lineOfMember(names, step)]));
    rows.set(key, row);
  }
  return [...rows.values()];
}

/** One line for each member of a row that was added or removed. */
function linesOfRow({ value, before }: Step): DiffLine[] {
  const row = value ?? before;
  if (typeof row !== 'object' || row === null) return [{ member: '', ...textsOf({ value, before }) }];
  return Object.entries(row).map(([member, each]) => ({
    member,
    ...textsOf(value === undefined ? { before: each } : { value: each }),
  }));
}

const lineOfMember = (names: readonly string[], step: Step): DiffLine => ({
  // `-` stands for the end of a list.
  member: names.filter((name) => name !== '-').join('.'),
  ...textsOf(step),
});

const textsOf = ({ value, before }: { value?: unknown; before?: unknown }) => ({
  before: before === undefined ? undefined : JSON.stringify(before, null, 2),
  after: value === undefined ? undefined : JSON.stringify(value, null, 2),
});

const unescapePointer = (step: string): string => step.replaceAll('~1', '/').replaceAll('~0', '~');

/** Why the call was answered as it was: the reason, what it rests on, and what would help. */
export function Why({ entry }: { entry: JournalEntry }) {
  const { scenario, validation, why, interceptors = [], notes = [], fault, error } = entry;
  return (
    <section class="card">
      <h2>Why this answer</h2>
      {why && (
        <p>
          {why.kind !== 'none' && (
            <>
              <Badge kind={why.kind === 'scenario' ? 'note' : ''}>{why.kind}</Badge>{' '}
            </>
          )}
          <strong>{why.summary}</strong>
        </p>
      )}
      {entry.expected !== undefined && <Badge kind="note">no failure</Badge>}
      {why && why.because.length > 0 && <Facts facts={why.because} />}
      {why && why.remedies.length > 0 && <Remedies remedies={why.remedies} />}
      <Rules decision={scenario} />
      {validation.violations.map(({ field, description }) => (
        <p key={plainText(field)}>
          <Badge kind="bad">invalid</Badge> <code>{plainText(field)}</code> {plainText(description)}
        </p>
      ))}
      {validation.unknown.length > 0 && (
        <p>
          <Badge kind="note">dropped</Badge> The contract has no field {validation.unknown.join(', ')}.
        </p>
      )}
      {validation.response !== undefined && (
        <p>
          <Badge kind="bad">broken</Badge> The answer breaks the contract: {validation.response}
        </p>
      )}
      {notes.map((note) => (
        <p key={note}>
          <Badge kind="note">note</Badge> {note}
        </p>
      ))}
      {fault !== undefined && (
        <p>
          <Badge kind="bad">fault</Badge> <code>{JSON.stringify(fault)}</code>
        </p>
      )}
      {interceptors.map((call, index) => (
        // An interceptor may be asked twice.
        // oxlint-disable-next-line react/no-array-index-key
        <InterceptorCall key={index} call={call} number={index + 1} />
      ))}
      {error === undefined ? null : <Json label="Error" value={error} />}
    </section>
  );
}

type KnownWhy = NonNullable<JournalEntry['why']>;

/** Facts about rules of scenarios are shown with the rules. */
const Facts = ({ facts }: { facts: KnownWhy['because'] }) => (
  <ul class="plain">
    {facts
      .filter(({ text }) => !text.startsWith('Rule '))
      .map(({ text, call, row }) => (
        <li key={text}>
          {text} {call !== undefined && <CallLink id={call} />}{' '}
          {row !== undefined && <a href={href('row', ...row.split(/\/(.*)/s).slice(0, 2))}>Open the row</a>}
        </li>
      ))}
  </ul>
);

const Remedies = ({ remedies }: { remedies: KnownWhy['remedies'] }) => (
  <>
    <h3>What helps</h3>
    <ul class="plain">
      {remedies.map(({ text, method, path, body, environment }) => (
        <li key={text}>
          {text}{' '}
          <code>
            {method} {path}
            {body !== undefined && ` ${JSON.stringify(body)}`}
            {environment !== undefined && ` in ${environment}`}
          </code>
        </li>
      ))}
    </ul>
  </>
);

type Decision = JournalEntry['scenario'];

const Rules = ({ decision: { considered, not_shown: more } }: { decision: Decision }) =>
  considered.length === 0 ? null : (
    <ul class="plain">
      {considered.map((rule) => (
        <li key={`${rule.scenario} ${rule.rule}`}>
          <Badge kind={rule.applied ? 'good' : ''}>{rule.applied ? 'applied' : 'not applied'}</Badge>{' '}
          <a href={href('scenarios')}>
            {rule.scenario}, rules[{rule.rule}]
          </a>
          : {rule.reason}
        </li>
      ))}
      {more !== undefined && (
        <li class="faint">{more === 1 ? '1 more rule' : `${more} more rules`} did not apply either.</li>
      )}
    </ul>
  );
