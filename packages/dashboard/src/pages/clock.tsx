import { ControlError, unchecked } from '@understudy/client/control';
import { useEffect } from 'preact/hooks';
import { useAction, useData } from '../data.ts';
import { useDraft } from '../drafts.ts';
import { bound } from '../parts/fields.tsx';
import { Badge, Complaint, Do, Field, Heading, lazy } from '../parts/parts.tsx';
import { environment } from '../session.ts';

const STEPS = [
  ['1m', '1 minute'],
  ['1h', '1 hour'],
  ['1d', '1 day'],
  ['15d', '15 days'],
] as const;

const SAID = {
  real: 'follows the time of the machine',
  offset: 'runs, away from the time of the machine',
  frozen: 'stands still',
};

const TimelineCard = lazy(() => import('../clock/timeline.tsx').then((module) => module.TimelineCard));

/** The time of the environment, which everything that expires follows. */
export function ClockPage() {
  const clock = useData(() => environment.value.clock.get(), ['clock', 'state']);
  const { value, error, reload } = clock;
  useEffect(() => {
    const timer = setInterval(() => value?.mode !== 'frozen' && reload(), 1000);
    return () => clearInterval(timer);
  }, [value?.mode]);
  return (
    <>
      <Heading title="Clock" />
      <Complaint of={error} />
      {value && (
        <section class="card">
          <p class="now">
            <time dateTime={value.now}>{value.now.replace('T', ' ').replace(/\.\d+Z$/, ' UTC')}</time>
          </p>
          <p>
            <Badge>{value.mode}</Badge> The clock {SAID[value.mode]}.
          </p>
        </section>
      )}
      <Move reload={reload} />
      <TimelineCard now={value?.now} />
    </>
  );
}

/** The fields of the control API, by the labels that the page has for them. */
const LABELS: Record<string, string> = { by: 'Advance by', at: 'Set the clock to' };

/** Does the work; an error names fields by their labels. */
async function inLabels(work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (thrown) {
    if (!(thrown instanceof ControlError) || thrown.violations.length === 0) throw thrown;
    const lines = thrown.violations.map(
      ({ field, description }) => `${LABELS[field] ?? field}: ${description}`,
    );
    throw new Error(lines.join('\n'), { cause: thrown });
  }
}

function Move({ reload }: { reload: () => void }) {
  const action = useAction();
  const by = useDraft('clock by', '25h');
  const at = useDraft('clock at', '');
  const move = (work: () => Promise<unknown>) => async () => {
    await inLabels(work);
    reload();
  };
  const { clock } = environment.value;
  return (
    <section class="card">
      <h2>Move the clock</h2>
      <Complaint of={action.error.value} />
      <div class="actions">
        {STEPS.map(([step, title]) => (
          <Do key={step} action={action} run={move(() => clock.advance(step))}>
            Advance {title}
          </Do>
        ))}
      </div>
      <div class="row">
        <Field label="Advance by" hint="For example 30s, 15m, 25h or 14d." {...bound(by)} />
        <Do action={action} run={move(() => clock.advance(unchecked(by.value)))}>
          Advance
        </Do>
      </div>
      <div class="row">
        <Field
          label="Set the clock to"
          hint="For example 2030-01-01T00:00:00Z. If empty: now."
          {...bound(at)}
        />
        <Do action={action} run={move(() => clock.freeze(at.value || undefined))}>
          Freeze
        </Do>
        <Do
          action={action}
          run={move(async () => clock.set({ mode: 'offset', at: at.value || (await clock.get()).now }))}
        >
          Let it run
        </Do>
        <Do action={action} run={move(() => clock.set({ mode: 'real' }))}>
          Follow the machine
        </Do>
      </div>
    </section>
  );
}
