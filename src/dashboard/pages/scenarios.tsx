import { useSignal } from '@preact/signals';
import { unchecked, type LoadedScenario, type ScenarioList } from '../../client/control.ts';
import { isWriting, write } from '../draft.ts';
import { useAction, useData, type Action } from '../data.ts';
import { Badge, Complaint, Do, Empty, Field, Heading, Prose } from '../parts/parts.tsx';
import { lazy } from '../parts/lazy.tsx';
import { environment } from '../session.ts';
import { plainText } from '../../text/json.ts';
import { hasWords } from '../../text/words.ts';

type Available = ScenarioList['available'][number];

/** The scenarios that are loaded, those that can be, and a place to write one. */
export function ScenariosPage() {
  const list = useData(() => environment.value.scenarios.list(), ['scenario', 'request']);
  const action = useAction();
  const filter = useSignal('');
  const { available = [], loaded = [] } = list.value ?? {};
  const shown = available.filter(({ name, description }) => hasWords(`${name} ${description}`, filter.value));
  return (
    <>
      <Heading title="Scenarios">
        {loaded.length > 0 && (
          <Do action={action} run={() => environment.value.scenarios.unload()}>
            Unload all
          </Do>
        )}
      </Heading>
      <Complaint of={list.error ?? action.error.value} />
      {list.value && <Loaded loaded={loaded} action={action} />}
      <div id="editor">
        <Writer />
      </div>
      <section class="card">
        <h2>Load one</h2>
        <Field label="Find" value={filter.value} onInput={(text) => (filter.value = text)} />
        <ul class="plain">
          {shown.map((scenario) => (
            <Loadable key={scenario.name} scenario={scenario} />
          ))}
        </ul>
        {list.value && shown.length === 0 && <Empty>No scenario has this in its name or description.</Empty>}
      </section>
    </>
  );
}

const Loaded = ({ loaded, action }: { loaded: readonly LoadedScenario[]; action: Action }) => (
  <section class="card">
    <h2>Loaded</h2>
    {loaded.length === 0 && (
      <Empty>No scenario is loaded: every call is answered from the state of the environment.</Empty>
    )}
    {loaded.map(({ id, name, rules, params, warnings = [] }) => (
      <article key={id}>
        <div class="bar">
          <h3>{name}</h3>
          <Do action={action} label={`Unload ${name}`} run={() => environment.value.scenarios.unload(id)}>
            Unload
          </Do>
        </div>
        {params && Object.keys(params).length > 0 && <p class="faint">{JSON.stringify(params)}</p>}
        {warnings.map((warning) => (
          <p key={warning} class="alert note">
            {warning}
          </p>
        ))}
        <ul class="plain">
          {rules.map((rule, index) => (
            // A rule has no name, only an index.
            // oxlint-disable-next-line react/no-array-index-key
            <li key={index}>
              <code>{JSON.stringify(rule.on)}</code>{' '}
              {rule.when && <code class="faint">when {JSON.stringify(rule.when)}</code>}{' '}
              <Badge kind={rule.hits > 0 ? 'good' : ''}>{rule.hits} applied</Badge>{' '}
              <Badge>{rule.seen} seen</Badge>{' '}
              {rule.remaining !== undefined && <Badge kind="note">{rule.remaining} left</Badge>}
            </li>
          ))}
        </ul>
      </article>
    ))}
  </section>
);

/** One scenario of the folders, with its parameters as a form. */
function Loadable({ scenario: { name, description, params } }: { scenario: Available }) {
  const action = useAction();
  const given = useSignal<Record<string, string>>({});
  const parameters = Object.entries(params);
  const load = () => environment.value.scenarios.load(unchecked(name), valuesOf(given.value, params));
  const edit = async () => {
    write((await environment.value.scenarios.file(name)).text);
    document.getElementById('editor')?.scrollIntoView({ block: 'start' });
  };
  return (
    <li class="loadable">
      <div class="bar">
        <strong>{name}</strong>
        <div class="actions">
          <Do action={action} label={`Edit ${name}`} run={edit}>
            Edit
          </Do>
          {parameters.length === 0 && (
            <Do action={action} label={`Load ${name}`} run={load}>
              Load
            </Do>
          )}
        </div>
      </div>
      <p class="faint">
        <Prose text={description} />
      </p>
      <Complaint of={action.error.value} />
      {parameters.length > 0 && (
        <details>
          <summary>Load {name}…</summary>
          {parameters.map(([parameter, { description: hint, default: usual, required, enum: values }]) => (
            <Field
              key={parameter}
              label={required ? `${parameter} (required)` : parameter}
              hint={hint}
              placeholder={usual === undefined ? undefined : plainText(usual)}
              list={values && ['', ...values.map(String)]}
              value={given.value[parameter] ?? ''}
              onInput={(text) => (given.value = { ...given.value, [parameter]: text })}
            />
          ))}
          <Do action={action} kind="main" run={load}>
            Load
          </Do>
        </details>
      )}
    </li>
  );
}

/** Fields are strings; a parameter that is not a string is written as JSON. Empty fields are left out. */
function valuesOf(given: Record<string, string>, params: Available['params']): object | undefined {
  const filled = Object.entries(given).filter(([, text]) => text !== '');
  if (filled.length === 0) return undefined;
  return Object.fromEntries(
    filled.map(([name, text]) => [name, params[name]?.type === 'string' ? text : fromJson(text)]),
  );
}

function fromJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** The editor's code is fetched when it is opened. */
const ScenarioEditor = lazy(() =>
  import('../editor/scenario-editor.tsx').then((module) => module.ScenarioEditor),
);

/** The editor for a scenario. The errors of the server have line and column. */
const Writer = () =>
  isWriting.value ? (
    <ScenarioEditor />
  ) : (
    <section class="card">
      <h2>Write one</h2>
      <button type="button" onClick={() => (isWriting.value = true)}>
        Open the editor
      </button>
    </section>
  );
