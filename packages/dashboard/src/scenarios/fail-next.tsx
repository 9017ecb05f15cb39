import { useSignal, type Signal } from '@preact/signals';
import type { ScenarioObject } from '@understudy/client/control';
import { searchFor } from '@understudy/text/words';
import { useFirstFocus } from '../browser.ts';
import { useAction, useData } from '../data.ts';
import { bound, Choice } from '../parts/fields.tsx';
import { Badge, Complaint, Do, Empty, Field } from '../parts/parts.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Picker } from '../parts/picker.tsx';
import { readIndex, searchOperations } from '../reference/contract.ts';
import { environmentName, href } from '../route.ts';
import type { IndexedOperation } from '../server/reference/shapes.ts';
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
  const { value: called } = useData(operationsCalled, ['none']);
  const fitting = index ? ranked(searchOperations(index, text.value), text.value, called) : [];
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

/** In the latest calls of the environment. */
async function operationsCalled(): Promise<ReadonlySet<string>> {
  const latest = await environment.value.requests.list({ limit: 100 });
  return new Set(latest.flatMap(({ operation }) => operation ?? []));
}

/** Of the service: the API before pages and SCIM, then what was called here, what is called so, and writes before reads. */
function ranked(
  found: readonly IndexedOperation[],
  text: string,
  called: ReadonlySet<string> = new Set(),
): IndexedOperation[] {
  const isCalledSo = searchFor(text);
  const rank = ({ id, summary, method, path }: IndexedOperation) =>
    (path.startsWith('/api/') ? 8 : 0) +
    (called.has(id) ? 4 : 0) +
    (isCalledSo(`${id} ${summary}`) ? 2 : 0) +
    (method === 'GET' ? 0 : 1);
  const own = found.filter(({ document }) => document === 'service');
  return text.trim() === '' ? own : own.toSorted((a, b) => rank(b) - rank(a));
}

function Failures({ operation }: { operation: string }) {
  const kind = useSignal('unavailable');
  const number = useSignal('');
  const often = useSignal('1');
  const loaded = useSignal<string | undefined>(undefined);
  const action = useAction();
  const first = useFirstFocus<HTMLButtonElement>();
  const { title, number: field, rule } = FAILURES[kind.value]!;
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
      <Effect operation={operation} often={often.value} title={title} />
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

const OFTEN = new Map([
  ['1', 'The next call of'],
  ['2', 'The next 2 calls of'],
  ['3', 'The next 3 calls of'],
  ['', 'All calls of'],
]);

interface EffectProps {
  operation: string;
  often: string;
  title: string;
}

/** What will happen, in one sentence. */
function Effect({ operation, often, title }: EffectProps) {
  const { value: index } = useData(readIndex, ['none']);
  const known = index?.operations.find(({ id }) => id === operation);
  if (!known) return null;
  return (
    <p>
      {OFTEN.get(often)} “{known.summary}” (
      <code>
        {known.method} {known.path}
      </code>
      ) get{often === '1' ? 's' : ''}: {title}.
    </p>
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
