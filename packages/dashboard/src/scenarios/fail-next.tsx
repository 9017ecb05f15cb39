import { useSignal, type Signal } from '@preact/signals';
import type { ScenarioObject } from '@understudy/client/control';
import { useFirstFocus } from '../browser.ts';
import { useAction, useData } from '../data.ts';
import { bound, Choice } from '../parts/fields.tsx';
import { Badge, Complaint, Do, Empty, Field } from '../parts/parts.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Picker } from '../parts/picker.tsx';
import { readIndex, searchOperations } from '../reference/contract.ts';
import { environmentName, href } from '../route.ts';
import { environment } from '../session.ts';
import { failing, FAILURES, failureOf } from './failures.ts';

const MOST_FOUND = 30;

const close = () => (failing.value = undefined);

/** Makes the next calls of an operation fail. */
export function FailNext() {
  const operation = failing.value?.operation;
  return (
    <Dialog title="Fail the next call" close={close}>
      {operation === undefined ? <Operations /> : <Failures key={operation} operation={operation} />}
    </Dialog>
  );
}

function Operations() {
  const text = useSignal('');
  const { value: index, error } = useData(readIndex, ['none']);
  const fitting = index
    ? searchOperations(index, text.value).filter(({ document }) => document === 'service')
    : [];
  const found = fitting
    .slice(0, MOST_FOUND)
    .map(({ id, summary, method, path }) => ({ key: id, title: summary, detail: `${method} ${path}` }));
  return (
    <>
      <Complaint of={error} />
      <Picker
        label="Which operation"
        placeholder="Which operation? For example: invite"
        text={text}
        found={found}
        more={fitting.length - found.length}
        choose={({ key }) => (failing.value = { operation: key })}
        nothing={index ? 'No operation has these words.' : 'Loading…'}
      />
    </>
  );
}

function Failures({ operation }: { operation: string }) {
  const kind = useSignal('unavailable');
  const number = useSignal('');
  const often = useSignal('1');
  const loaded = useSignal<string | undefined>(undefined);
  const action = useAction();
  const first = useFirstFocus<HTMLButtonElement>();
  const { number: field, rule } = FAILURES[kind.value]!;
  const load = async () => {
    const given = Number(number.value || field?.[1] || 0);
    const wanted = failureOf(operation, rule(given), often.value === '' ? undefined : Number(often.value));
    loaded.value = (await environment.value.scenarios.load(wanted as unknown as ScenarioObject)).id;
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void action.run(load);
      }}
    >
      <p>
        <code>{operation}</code>{' '}
        <button type="button" class="quiet" onClick={() => (failing.value = {})}>
          Another operation
        </button>
      </p>
      <Choice
        label="What happens"
        value={kind.value}
        options={Object.entries(FAILURES).map(([name, { title }]) => [name, title] as const)}
        onInput={(name) => {
          kind.value = name;
          number.value = '';
        }}
      />
      {field && <NumberField label={field[0]} usual={field[1]} value={number} />}
      <Choice
        label="How often"
        {...bound(often)}
        options={[
          ['1', 'Once: the next call'],
          ['2', 'The next 2 calls'],
          ['3', 'The next 3 calls'],
          ['', 'Always, until it is unloaded'],
        ]}
      />
      <Complaint of={action.error.value} />
      <div class="actions">
        <button ref={first} data-first class="main" disabled={action.busy.value}>
          Let it fail
        </button>
        <button type="button" onClick={close}>
          Close
        </button>
      </div>
      {loaded.value !== undefined && <Loaded id={loaded.value} />}
    </form>
  );
}

const NumberField = ({ label, usual, value }: { label: string; usual: number; value: Signal<string> }) => (
  <Field
    label={label}
    placeholder={String(usual)}
    value={value.value}
    onInput={(text) => (value.value = text.replaceAll(/\D/g, ''))}
  />
);

/** Whether the rule was applied, while the reader makes the call. */
function Loaded({ id }: { id: string }) {
  const { value } = useData(() => environment.value.scenarios.list(), ['scenario', 'request'], id);
  const action = useAction();
  const found = value?.loaded.find((each) => each.id === id);
  const [rule] = found?.rules ?? [];
  if (value && !found) return <Empty>The failure is unloaded.</Empty>;
  return (
    <div class="loaded-failure" role="status">
      <p>
        Loaded in {environmentName.value}.{' '}
        <Badge kind={rule && rule.hits > 0 ? 'good' : ''}>{rule?.hits ?? 0} applied</Badge>{' '}
        {rule?.remaining !== undefined && <Badge kind="note">{rule.remaining} left</Badge>}
      </p>
      <div class="actions">
        <a class="button" href={href('scenarios')} onClick={close}>
          Show it
        </a>
        <Do action={action} run={() => environment.value.scenarios.unload(id)}>
          Unload it
        </Do>
      </div>
    </div>
  );
}
