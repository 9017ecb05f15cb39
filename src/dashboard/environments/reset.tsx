import { useSignal } from '@preact/signals';
import type { Part } from '../../client/control.ts';
import { useAction } from '../data.ts';
import { Complaint, Do } from '../parts/parts.tsx';
import { environmentName } from '../route.ts';
import { environment } from '../session.ts';

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
  const action = useAction();
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
      <Complaint of={action.error.value} />
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
        <Do action={action} kind="bad" run={reset}>
          Reset
        </Do>
        <span class="made" role="status">
          {done.value}
        </span>
      </div>
    </section>
  );
}
