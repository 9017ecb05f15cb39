import type { JournalEntry } from '../../client/control.ts';
import { curlOf, httpOf } from '../as-curl.ts';
import { useAction, useData } from '../data.ts';
import { draftFrom } from '../draft.ts';
import { Badge, Complaint, Copy, Do, Empty, Heading, Json, statusKind, Time } from '../parts/parts.tsx';
import { sendAgain } from '../resend.ts';
import { go, href, route } from '../route.ts';
import { environment } from '../session.ts';
import { textOf } from '../text.ts';

/** One call: what was sent, what was answered, and why. */
export function RequestPage() {
  const id = route.value.id ?? '';
  const { value: entry, error } = useData(() => environment.value.requests.get(id), ['none'], id);
  return (
    <>
      <p class="back">
        <a href={href('requests')}>Requests</a>
      </p>
      <Complaint of={error} />
      {entry && <Entry entry={entry} />}
    </>
  );
}

const Entry = ({ entry }: { entry: JournalEntry }) => (
  <>
    <Heading title={entry.operation ?? `${entry.method} ${entry.path}`}>
      <SendAgain entry={entry} />
      {entry.operation && (
        <a class="button" href={href('scenarios')} onClick={() => draftFrom(entry)}>
          Make a rule of this
        </a>
      )}
      <Copy text={curlOf(entry, location.origin)}>Copy as curl</Copy>
      <Copy text={httpOf(entry)}>Copy as HTTP</Copy>
    </Heading>
    <p class="facts">
      <Badge kind={statusKind(entry.status)}>{entry.status || 'no answer'}</Badge>{' '}
      <code>
        {entry.method} {entry.path}
      </code>{' '}
      · {entry.protocol} · <Time at={entry.time} /> · {entry.duration_ms ?? '?'} ms · {entry.id}
    </p>
    <Why entry={entry} />
    <div class="columns">
      <Message title="Request" message={entry.request} />
      <Message title="Response" message={entry.response ?? {}} />
    </div>
    <Changes changes={entry.changes} />
  </>
);

/** An RPC has no button: the browser can't speak gRPC. */
function SendAgain({ entry }: { entry: JournalEntry }) {
  const action = useAction();
  if (entry.protocol.startsWith('grpc')) return null;
  const send = async () => {
    const id = await sendAgain(entry);
    go(id === undefined ? href('requests') : href('request', id));
  };
  return (
    <>
      <Complaint of={action.error.value} />
      <Do action={action} run={send}>
        Send again
      </Do>
    </>
  );
}

/** Why the call was answered as it was: the rules that looked at it, what it broke, what was dropped, who was asked. */
function Why({ entry }: { entry: JournalEntry }) {
  const { scenario, validation, interceptors = [], fault, error } = entry;
  return (
    <section class="card">
      <h2>Why this answer</h2>
      <Rules considered={scenario.considered} />
      {validation.violations.map(({ field, description }) => (
        <p key={textOf(field)}>
          <Badge kind="bad">invalid</Badge> <code>{textOf(field)}</code> {textOf(description)}
        </p>
      ))}
      {validation.unknown.length > 0 && (
        <p>
          <Badge kind="note">dropped</Badge> The contract has no field {validation.unknown.join(', ')}.
        </p>
      )}
      {fault !== undefined && (
        <p>
          <Badge kind="bad">fault</Badge> <code>{JSON.stringify(fault)}</code>
        </p>
      )}
      {interceptors.length > 0 && <Json label="Interceptors" value={interceptors} />}
      {error === undefined ? null : <Json label="Error" value={error} />}
    </section>
  );
}

type Considered = JournalEntry['scenario']['considered'];

const Rules = ({ considered }: { considered: Considered }) =>
  considered.length === 0 ? (
    <p class="faint">
      No rule of a loaded scenario looked at this call: the answer comes from the state of the environment.
    </p>
  ) : (
    <ul class="plain">
      {considered.map((rule) => (
        <li key={`${rule.scenario} ${rule.rule}`}>
          <Badge kind={rule.applied ? 'good' : ''}>{rule.applied ? 'applied' : 'not applied'}</Badge>{' '}
          <a href={href('scenarios')}>
            {rule.scenario}, rule {rule.rule + 1}
          </a>
          : {rule.reason}
        </li>
      ))}
    </ul>
  );

interface Sent {
  headers?: Record<string, unknown>;
  query?: Record<string, unknown>;
  body?: unknown;
}

function Message({ title, message }: { title: string; message: Sent }) {
  const { headers = {}, query = {}, body } = message;
  return (
    <section class="card">
      <h2>{title}</h2>
      {Object.keys(query).length > 0 && <Pairs title="Query" pairs={query} />}
      <Pairs title="Headers" pairs={headers} />
      <h3>Body</h3>
      {body === undefined || body === '' ? (
        <p class="faint">None.</p>
      ) : (
        <Json label={`${title} body`} value={body} />
      )}
    </section>
  );
}

const Pairs = ({ title, pairs }: { title: string; pairs: Record<string, unknown> }) => (
  <>
    <h3>{title}</h3>
    <dl class="pairs">
      {Object.entries(pairs).map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{textOf(value)}</dd>
        </div>
      ))}
    </dl>
  </>
);

type Change = JournalEntry['changes'][number];

/** The rows that the call changed, as links to what they are now. */
const Changes = ({ changes }: { changes: readonly Change[] }) => (
  <section class="card">
    <h2>Changed rows</h2>
    {changes.length === 0 && <Empty>The call changed nothing.</Empty>}
    {changes.map((change) => {
      const [, collection = '', id = ''] = change.path.split('/').map(unescapePointer);
      return (
        <div class={`change ${change.op}`} key={`${change.op} ${change.path}`}>
          <p>
            <Badge kind={change.op === 'remove' ? 'bad' : change.op === 'add' ? 'good' : 'note'}>
              {change.op}
            </Badge>{' '}
            <a href={href('row', collection, id)}>{change.path}</a>
          </p>
          {'value' in change && <Json label={`New value of ${change.path}`} value={change.value} />}
        </div>
      );
    })}
  </section>
);

const unescapePointer = (step: string) => step.replaceAll('~1', '/').replaceAll('~0', '~');
