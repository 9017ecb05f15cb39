import { useSignal } from '@preact/signals';
import type { Environment, NewEnvironment, Part, Snapshot } from '../../client/control.ts';
import { useAction, useData } from '../data.ts';
import { Complaint, Copy, Do, Empty, Field, Heading, Time } from '../parts/parts.tsx';
import { environmentName, go, hrefIn } from '../route.ts';
import { control, environment } from '../session.ts';

const PARTS: readonly Part[] = ['state', 'requests', 'mail', 'webhooks', 'scenarios', 'clock'];

/** Isolated copies of everything: made, forked, reset and dropped here. */
export function EnvironmentsPage() {
  const { value = [], error, reload } = useData(() => control().environments.list(), ['environment']);
  return (
    <>
      <Heading title="Environments" />
      <Complaint of={error} />
      <section class="card">
        <h2>All</h2>
        {value.map((each) => (
          <Listed key={each.name} listed={each} reload={reload} />
        ))}
      </section>
      <Make reload={reload} />
      <Reset />
      <Snapshots />
    </>
  );
}

function Listed({ listed, reload }: { listed: Environment; reload: () => void }) {
  const action = useAction();
  const { name, base_url: url, client_id: id, client_secret: secret } = listed;
  const variables = `SCALEKIT_ENVIRONMENT_URL=${url}\nSCALEKIT_CLIENT_ID=${id}\nSCALEKIT_CLIENT_SECRET=${secret}\n`;
  const fork = async () => {
    const made = await control().environments.fork(name);
    go(hrefIn(made.name, 'environments'));
  };
  const drop = async () => {
    await control().environments.drop(name);
    if (name === environmentName.value) go(hrefIn('default', 'environments'));
    else reload();
  };
  return (
    <article>
      <div class="bar">
        <h3>
          <a href={hrefIn(name, 'requests')}>{name}</a>{' '}
          {name === environmentName.value && <small>(shown)</small>}
        </h3>
        <div class="actions">
          <Copy text={variables}>Copy variables</Copy>
          <Do action={action} label={`Fork ${name}`} run={fork}>
            Fork
          </Do>
          {name !== 'default' && (
            <Do action={action} kind="bad" label={`Drop ${name}`} run={drop}>
              Drop
            </Do>
          )}
        </div>
      </div>
      <p class="faint">
        {url} · client {id}
      </p>
      <Complaint of={action.error.value} />
    </article>
  );
}

function Make({ reload }: { reload: () => void }) {
  const wanted = useSignal({ name: '', fixture: '', at: '' });
  const action = useAction();
  const set = (name: keyof typeof wanted.value) => (text: string) =>
    (wanted.value = { ...wanted.value, [name]: text });
  const make = async () => {
    const { name, fixture, at } = wanted.value;
    const settings: NewEnvironment = {
      ...(name && { name }),
      ...(fixture && { fixture }),
      ...(at && { clock: { mode: 'frozen' as const, at } }),
    };
    const made = await control().environments.create(settings);
    reload();
    go(hrefIn(made.name, 'environments'));
  };
  return (
    <section class="card">
      <h2>Make one</h2>
      <Complaint of={action.error.value} />
      <div class="row">
        <Field label="Name" hint="Empty: one is made up." value={wanted.value.name} onInput={set('name')} />
        <Field
          label="Fixture"
          hint="default, small, demo, empty, sso, or a file of --fixtures."
          value={wanted.value.fixture}
          onInput={set('fixture')}
        />
        <Field label="Clock frozen at" hint="Empty: real time." value={wanted.value.at} onInput={set('at')} />
        <Do action={action} kind="main" run={make}>
          Make
        </Do>
      </div>
    </section>
  );
}

/** Puts the environment that is shown back to its fixture, wholly or in parts. */
function Reset() {
  const chosen = useSignal<readonly Part[]>(PARTS);
  const action = useAction();
  const toggle = (part: Part) =>
    (chosen.value = PARTS.filter((each) => (each === part) !== chosen.value.includes(each)));
  return (
    <section class="card">
      <h2>Reset {environmentName.value}</h2>
      <Complaint of={action.error.value} />
      <fieldset class="checks">
        <legend>What goes back to the start</legend>
        {PARTS.map((part) => (
          <label key={part}>
            <input type="checkbox" checked={chosen.value.includes(part)} onChange={() => toggle(part)} />{' '}
            {part}
          </label>
        ))}
      </fieldset>
      <Do
        action={action}
        kind="bad"
        run={() =>
          environment.value.reset(chosen.value.length === PARTS.length ? {} : { only: [...chosen.value] })
        }
      >
        Reset
      </Do>
    </section>
  );
}

function Snapshots() {
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
      {value.length === 0 && <Empty>None. A snapshot keeps everything as it is now, to come back to.</Empty>}
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
            <Do
              action={action}
              kind="bad"
              label={`Delete ${each.name}`}
              run={then(() => snapshots.delete(each.name))}
            >
              Delete
            </Do>
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
