import { useSignal, type Signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { ControlError } from '@understudy/client/control';
import { useAction } from '../data.ts';
import { draft, isWriting, nameIn } from '../draft.ts';
import { Complaint, Do } from '../parts/parts.tsx';
import { environment } from '../session.ts';
import { createEditor } from './code-editor.ts';
import type { Problem } from './lint-source.ts';
import { loadVocabulary, type Vocabulary } from './vocabulary.ts';

/** Writes a scenario: completion, the server's complaints while it is typed, load, save. */
export function ScenarioEditor() {
  const problems = useSignal<readonly Problem[]>([]);
  const host = useEditor(problems);
  return (
    <section class="card">
      <div class="bar">
        <h2>Write a scenario</h2>
        <button type="button" onClick={() => (isWriting.value = false)}>
          Close the editor
        </button>
      </div>
      <p class="hint">
        Write YAML or JSON. Ctrl+Space shows suggestions. To leave the editor with the keyboard, press Escape
        and then Tab.
      </p>
      <div ref={host} class="code" />
      <Problems problems={problems.value} />
      <Actions />
    </section>
  );
}

/** The editor shows the draft, and the draft is what is typed. */
function useEditor(problems: Signal<readonly Problem[]>) {
  const host = useRef<HTMLDivElement>(null);
  const shown = environment.value.name;
  useEffect(() => {
    const element = host.current!;
    const shadow = element.shadowRoot ?? element.attachShadow({ mode: 'open' });
    const parent = document.createElement('div');
    shadow.replaceChildren(parent);
    let known: Vocabulary | undefined;
    // Without it, only the members of the scenario format are completed.
    loadVocabulary().then(
      (loaded) => (known = loaded),
      () => undefined,
    );
    const view = createEditor({
      parent,
      text: draft.peek(),
      label: 'Scenario (YAML or JSON)',
      vocabulary: () => known,
      onChange: (text) => (draft.value = text),
      onProblems: (found) => (problems.value = found),
    });
    const stop = draft.subscribe((text) => {
      if (text === view.state.doc.toString()) return;
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } });
      element.scrollIntoView({ block: 'nearest' });
    });
    return () => {
      stop();
      view.destroy();
    };
  }, [shown]);
  return host;
}

const Problems = ({ problems }: { problems: readonly Problem[] }) => (
  <div class="problems" role="status">
    {problems.length > 0 && (
      <ul class="plain">
        {problems.map(({ line, column, text, isWarning }) => (
          <li key={`${line}:${column}:${text}`} class={isWarning ? 'warning' : 'mistake'}>
            {line > 0 && (
              <span class="faint">
                line {line}, column {column}:{' '}
              </span>
            )}
            {text}
          </li>
        ))}
      </ul>
    )}
  </div>
);

function Actions() {
  const action = useAction();
  /** The path that the server returned, or the name that is taken. */
  const saved = useSignal('');
  const taken = useSignal<string | undefined>(undefined);
  const name = nameIn(draft.value);
  const { scenarios } = environment.value;
  const save = (overwrite: boolean) => async () => {
    saved.value = '';
    taken.value = undefined;
    if (name === undefined) throw new Error('name: a scenario is saved under its name, and it has none yet');
    try {
      saved.value = await scenarios.save(name, draft.value, { overwrite });
    } catch (thrown) {
      if (!(thrown instanceof ControlError) || thrown.status !== 409) throw thrown;
      taken.value = name;
    }
  };
  return (
    <>
      <Complaint of={action.error.value} />
      <div class="actions">
        <Do action={action} kind="main" run={() => scenarios.loadYaml(draft.value)}>
          Load it
        </Do>
        <Do action={action} run={save(false)}>
          Save as a file
        </Do>
      </div>
      {taken.value !== undefined && (
        <p class="alert note" role="alert">
          A file of the name {taken.value} exists already.{' '}
          <Do action={action} run={save(true)}>
            Replace the file
          </Do>
        </p>
      )}
      <p role="status">{saved.value && `Saved as ${saved.value}`}</p>
    </>
  );
}
