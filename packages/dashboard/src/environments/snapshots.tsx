import { useSignal } from '@preact/signals';
import type { Snapshot, Part } from '@understudy/client/control';
import { useAction, useData } from '../data.ts';
import { useDraft } from '../drafts.ts';
import { bound } from '../parts/fields.tsx';
import { Asking, Removal, Complaint, Do, Empty, Field, Time } from '../parts/parts.tsx';
import { environmentName } from '../route.ts';
import { environment } from '../session.ts';

/** Snapshots of the environment that is shown. */
export function Snapshots() {
  const {
    value = [],
    error,
    reload,
  } = useData(() => environment.value.snapshots.list(), ['snapshot', 'reset']);
  const name = useDraft('snapshot', '');
  const action = useAction();
  const { snapshots } = environment.value;
  const then = (work: () => Promise<unknown>) => async () => {
    await work();
    reload();
  };
  return (
    <section class="card">
      <h2>Snapshots of {environmentName.value}</h2>
      <Complaint of={error ?? action.error.value} />
      {value.length === 0 && (
        <Empty>
          No snapshot yet. A snapshot stores the environment as it is now, so that you can go back to it.
        </Empty>
      )}
      {value.map((each) => (
        <Listed key={each.name} listed={each} reload={reload} />
      ))}
      <div class="row">
        <Field label="Take a snapshot" placeholder="before-import" {...bound(name)} />
        <Do action={action} run={then(() => snapshots.take(name.value))}>
          Take
        </Do>
      </div>
    </section>
  );
}

function Listed({ listed: { name, time }, reload }: { listed: Snapshot; reload: () => void }) {
  const { snapshots } = environment.value;
  return (
    <div class="bar">
      <span>
        <strong>{name}</strong>{' '}
        <span class="faint">
          <Time at={time} />
        </span>
      </span>
      <div class="actions">
        <Asking
          label={`Restore ${name}…`}
          question={`Put ${environmentName.value} back to ${name}? Its rows, clock and scenarios become what they were then. What they are now is lost, unless you take a snapshot first.`}
          confirm={`Restore ${name}`}
          keep="Keep it as it is"
          run={() => snapshots.restore(name)}
        >
          Restore…
        </Asking>
        <Removal
          verb="Delete"
          name={name}
          question={`Delete the snapshot ${name}? The environment stays as it is.`}
          run={() => snapshots.delete(name).then(reload)}
        />
      </div>
    </div>
  );
}

/** The parts, and what they are called. */
const PARTS = new Map<Part, string>([
  ['state', 'rows'],
  ['requests', 'calls'],
  ['mail', 'mail'],
  ['webhooks', 'webhooks'],
  ['scenarios', 'scenarios'],
  ['clock', 'clock'],
]);

/** Puts the environment that is shown back to its fixture, wholly or in parts. */
export function Reset() {
  const chosen = useSignal<readonly Part[]>([...PARTS.keys()]);
  const done = useSignal('');
  const toggle = (part: Part) =>
    (chosen.value = [...PARTS.keys()].filter((each) => (each === part) !== chosen.value.includes(each)));
  const reset = async () => {
    done.value = '';
    // A call that names no part would reset all of them.
    if (chosen.value.length === 0) throw new Error('Choose at least one part.');
    await environment.value.reset(chosen.value.length === PARTS.size ? {} : { only: [...chosen.value] });
    done.value =
      chosen.value.length === PARTS.size
        ? 'Everything is as at the start.'
        : 'These parts are as at the start.';
  };
  return (
    <section class="card">
      <h2>Reset {environmentName.value}</h2>
      <fieldset class="checks">
        <legend>What goes back to the start</legend>
        {[...PARTS].map(([part, name]) => (
          <label key={part}>
            <input type="checkbox" checked={chosen.value.includes(part)} onChange={() => toggle(part)} />{' '}
            {name}
          </label>
        ))}
      </fieldset>
      <div class="actions">
        <Asking
          kind="bad"
          question={`Put ${chosen.value.map((part) => PARTS.get(part)).join(', ')} of ${environmentName.value} back to the start? What they are now is lost, unless you take a snapshot first; a snapshot has no calls.`}
          confirm={`Reset ${environmentName.value}`}
          keep="Keep it as it is"
          run={reset}
        >
          Reset…
        </Asking>
        <span class="made" role="status">
          {done.value}
        </span>
      </div>
    </section>
  );
}
