import { useSignal } from '@preact/signals';
import type { Snapshot } from '../../client/control.ts';
import { useAction, useData } from '../data.ts';
import { Removal } from '../parts/confirmation.tsx';
import { Complaint, Do, Empty, Field, Time } from '../parts/parts.tsx';
import { environmentName } from '../route.ts';
import { environment } from '../session.ts';

/** Snapshots of the environment that is shown. */
export function Snapshots() {
  const {
    value = [],
    error,
    reload,
  } = useData(() => environment.value.snapshots.list(), ['snapshot', 'reset']);
  const name = useSignal('');
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
      {value.map((each: Snapshot) => (
        <div class="bar" key={each.name}>
          <span>
            <strong>{each.name}</strong>{' '}
            <span class="faint">
              <Time at={each.time} />
            </span>
          </span>
          <div class="actions">
            <Do action={action} label={`Restore ${each.name}`} run={() => snapshots.restore(each.name)}>
              Restore
            </Do>
            <Removal
              verb="Delete"
              name={each.name}
              question={`Delete the snapshot ${each.name}? The environment stays as it is.`}
              run={then(() => snapshots.delete(each.name))}
            />
          </div>
        </div>
      ))}
      <div class="row">
        <Field
          label="Take one"
          placeholder="before-import"
          value={name.value}
          onInput={(text) => (name.value = text)}
        />
        <Do action={action} run={then(() => snapshots.take(name.value))}>
          Take
        </Do>
      </div>
    </section>
  );
}
