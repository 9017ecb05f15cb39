import { useEffect } from 'preact/hooks';
import { serviceUrl } from '../browser.ts';
import type { JournalEntry } from '@understudy/client/control';
import { curlOf, sendAgain } from '../requests/resend.ts';
import { useAction, useData } from '../data.ts';
import { Asking, Badge, Complaint, Copy, Do, Empty, Heading, statusKind, Time } from '../parts/parts.tsx';
import { ChangedRows, EvidenceOf, Events, MadeCalls, Message, Why } from '../requests/details.tsx';
import { Neighbours } from '../requests/neighbours.tsx';
import { TraceOf } from '../requests/trace.tsx';
import { callAddress, listAddress } from '../requests/call-filter.ts';
import { go, route } from '../route.ts';
import { failNext } from '../scenarios/failures.ts';
import { environment, listen } from '../session.ts';

/** One call: what was sent, what was answered, and why. */
export function RequestPage() {
  const id = route.value.id ?? '';
  const shown = environment.value;
  const { value: entry, error, reload } = useData(() => shown.requests.get(id), ['none'], id);
  // The feed reports a call when it ends. Until then the call has no answer.
  useEffect(
    () => listen(({ kind, data }) => kind === 'request' && (data as { id: string }).id === id && reload()),
    [shown, id],
  );
  return (
    <>
      <p class="back">
        <a href={listAddress(id)}>Requests</a>
        <Neighbours key={id} id={id} />
      </p>
      {entry ? <Entry entry={entry} /> : <Unknown id={id} error={error} />}
    </>
  );
}

/** The server's message lists all known calls, which the reader does not need here. */
const Unknown = ({ id, error }: { id: string; error: string | undefined }) =>
  error === undefined ? (
    <Empty>Loading…</Empty>
  ) : (
    <>
      <Heading title={`Call ${id}`} />
      {error.includes(`request ${id} not found`) ? (
        <Empty>
          The journal of {environment.value.name} has no call {id}. It was cleared or dropped, or it never
          came.
        </Empty>
      ) : (
        <Complaint of={error} />
      )}
    </>
  );

const Entry = ({ entry }: { entry: JournalEntry }) => (
  <>
    <Heading title={entry.operation ?? `${entry.method} ${entry.path}`}>
      <SendAgain entry={entry} />
      {entry.operation && (
        <button type="button" onClick={() => failNext(entry.operation)}>
          Fail the next call…
        </button>
      )}
      <Copy text={curlOf(entry, serviceUrl())}>Copy as curl</Copy>
    </Heading>
    <p class="facts">
      <Status entry={entry} />{' '}
      <code>
        {entry.method} {entry.path}
      </code>{' '}
      · {entry.protocol} · <Time at={entry.time} /> ·{' '}
      {entry.duration_ms !== undefined && `${entry.duration_ms} ms · `}
      {entry.id}
    </p>
    <Why entry={entry} />
    {entry.operation && <EvidenceOf operation={entry.operation} decided={entry.why?.guessed ?? []} />}
    <MadeCalls entry={entry} />
    <TraceOf entry={entry} />
    <div class="columns">
      <Message title="Request" message={entry.request} />
      <Message title="Response" message={entry.response ?? {}} />
    </div>
    <Events changes={entry.changes} />
    <ChangedRows changes={entry.changes} />
  </>
);

const Status = ({ entry: { status, expected } }: { entry: JournalEntry }) =>
  status === undefined ? (
    <Badge kind="note">not answered yet</Badge>
  ) : (
    <Badge kind={expected === undefined ? statusKind(status) : 'note'}>{status || 'no answer'}</Badge>
  );

/** An RPC has no button: the browser can't speak gRPC. A call that may change something is sent after a question. */
function SendAgain({ entry }: { entry: JournalEntry }) {
  const action = useAction();
  if (entry.protocol.startsWith('grpc')) return null;
  const send = async () => {
    const id = await sendAgain(entry);
    go(id === undefined ? listAddress() : callAddress(environment.value.name, id));
  };
  if (!READS.has(entry.method))
    return (
      <Asking
        question={`Send ${entry.method} ${entry.path} to ${environment.value.name} again? It may change rows, and nothing takes that back.`}
        confirm="Send it"
        keep="Do not send it"
        run={send}
      >
        Send again…
      </Asking>
    );
  return (
    <>
      <Complaint of={action.error.value} />
      <Do action={action} run={send}>
        Send again
      </Do>
    </>
  );
}

const READS = new Set(['GET', 'HEAD', 'OPTIONS']);
