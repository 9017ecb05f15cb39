import type { LoadedScenario } from '@understudy/client/control';
import { useStill } from '../browser.ts';
import { isWriting } from '../draft.ts';
import { useAction, useData, type Action } from '../data.ts';
import { Badge, Complaint, Do, Empty, Heading, lazy } from '../parts/parts.tsx';
import { Search } from '../parts/fields.tsx';
import { useQueryText } from '../parts/query-text.ts';
import { readIndex } from '../reference/contract.ts';
import { failNext } from '../scenarios/failures.ts';
import { groupsOf } from '../scenarios/groups.ts';
import { Loadable, LOADED } from '../scenarios/loadable.tsx';
import { isUsedUp, RuleSentence } from '../scenarios/sentence.tsx';
import { environment } from '../session.ts';
import { hasWords } from '@understudy/text/words';

/** The scenarios that are loaded, those that can be, and a place to write one. */
export function ScenariosPage() {
  const list = useData(() => environment.value.scenarios.list(), ['scenario', 'request']);
  const index = useData(readIndex, ['none']);
  const action = useAction();
  const filter = useQueryText('find');
  const { available = [], loaded = [] } = list.value ?? {};
  const shown = available.filter(({ name, description }) => hasWords(`${name} ${description}`, filter.value));
  const ids = loaded.map(({ id }) => id);
  const { element, hold } = useStill(ids.join(' '));
  return (
    <>
      <Heading title="Scenarios">
        <button type="button" class="main" onClick={() => failNext()}>
          Fail the next call…
        </button>
        {!isWriting.value && (
          <button type="button" onClick={() => (isWriting.value = true)}>
            Open the editor
          </button>
        )}
        {loaded.length > 0 && (
          <Do action={action} run={() => environment.value.scenarios.unload()}>
            Unload all
          </Do>
        )}
      </Heading>
      <Complaint of={list.error ?? action.error.value} />
      {list.value && <Loaded loaded={loaded} action={action} />}
      <div id="editor">{isWriting.value && <ScenarioEditor />}</div>
      <section class="card" ref={element}>
        <h2>Load a scenario</h2>
        <Search label="Find" placeholder="Part of a name or description" text={filter} />
        <div class="groups">
          {groupsOf(shown, index.value).map(({ title, scenarios }) => (
            <section key={title} aria-label={title}>
              <h3>{title}</h3>
              <ul class="plain">
                {scenarios.map((scenario) => (
                  <Loadable key={scenario.name} scenario={scenario} loaded={ids} hold={hold} />
                ))}
              </ul>
            </section>
          ))}
        </div>
        {list.value && shown.length === 0 && <Empty>No scenario has this in its name or description.</Empty>}
      </section>
    </>
  );
}

const Loaded = ({ loaded, action }: { loaded: readonly LoadedScenario[]; action: Action }) => {
  const usedUp = loaded.filter(isUsedUp);
  return (
    <section class="card" id={LOADED} tabIndex={-1} aria-label="Loaded">
      <h2>Loaded scenarios</h2>
      {loaded.length === 0 && (
        <Empty>No scenario is loaded: every call is answered from the state of the environment.</Empty>
      )}
      {loaded
        .filter((each) => !isUsedUp(each))
        .map((scenario) => (
          <OneLoaded key={scenario.id} scenario={scenario} action={action} />
        ))}
      {usedUp.length > 0 && (
        <section class="used-up" aria-label="Used up">
          <p class="faint">These are used up: they change no call any more.</p>
          {usedUp.map((scenario) => (
            <OneLoaded key={scenario.id} scenario={scenario} action={action} />
          ))}
        </section>
      )}
    </section>
  );
};

function OneLoaded({ scenario, action }: { scenario: LoadedScenario; action: Action }) {
  const { id, name, rules, params, warnings = [] } = scenario;
  return (
    <article>
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
            <RuleSentence rule={rule} /> <Badge kind={rule.hits > 0 ? 'good' : ''}>{rule.hits} applied</Badge>{' '}
            {rule.seen > rule.hits && <Badge>{rule.seen} seen</Badge>}
          </li>
        ))}
      </ul>
    </article>
  );
}

/** The editor's code is fetched when it is opened. */
const ScenarioEditor = lazy(() =>
  import('../editor/scenario-editor.tsx').then((module) => module.ScenarioEditor),
);
