import type { JournalEntry, Trace } from '@understudy/client/control';
import { useData } from '../data.ts';
import { Time } from '../parts/parts.tsx';
import { href } from '../route.ts';
import { environment } from '../session.ts';
import { callAddress } from './call-filter.ts';

type Step = Trace['steps'][number];

/** All that the call caused, each below its cause. It grows with deliveries and later calls. */
export function TraceOf({ entry: { id } }: { entry: JournalEntry }) {
  const shown = environment.value;
  const { value: trace } = useData(() => shown.requests.trace(id), ['webhook', 'clock', 'request'], id);
  const [, ...steps] = trace?.steps ?? [];
  if (steps.length === 0) return null;
  return (
    <section class="card">
      <h2>What it caused</h2>
      <ol class="plain trace">
        {steps.map((step, at) => (
          // Two attempts may have the same text.
          // oxlint-disable-next-line react/no-array-index-key
          <TraceLine key={at} step={step} />
        ))}
      </ol>
      {trace?.not_shown !== undefined && <p class="faint">{trace.not_shown} more are not shown.</p>}
    </section>
  );
}

function TraceLine({ step }: { step: Step }) {
  const { depth, kind, time, machine_time: machine } = step;
  return (
    <li data-depth={depth}>
      <Target step={step} />{' '}
      {time !== undefined && (
        <span class="faint">
          {kind === 'due' && 'due '}
          <Time at={time} />
          {machine !== undefined && (
            <>
              {' '}
              (machine: <Time at={machine} />)
            </>
          )}
        </span>
      )}
    </li>
  );
}

function Target({ step: { text, row, call } }: { step: Step }) {
  if (call !== undefined) return <a href={callAddress(environment.value.name, call)}>{text}</a>;
  if (row === undefined) return <>{text}</>;
  return <a href={href('row', ...row.split(/\/(.*)/s).slice(0, 2))}>{text}</a>;
}
