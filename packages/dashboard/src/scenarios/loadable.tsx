import { useSignal } from '@preact/signals';
import { unchecked } from '@understudy/client/control';
import { useAction, useData, type Action } from '../data.ts';
import { write } from '../draft.ts';
import { Suggestion } from '../parts/fields.tsx';
import { Complaint, Do, Field, Prose } from '../parts/parts.tsx';
import { readIndex } from '../reference/contract.ts';
import { environmentName, href } from '../route.ts';
import { environment } from '../session.ts';
import type { Available } from './groups.ts';
import { jsonOrText, plainText } from '@understudy/text/json';

/** The id of the card of loaded scenarios. */
export const LOADED = 'loaded';

interface LoadableProps {
  scenario: Available;
  /** The ids of the scenarios that are loaded. */
  loaded: readonly string[];
  /** Keeps the list where it is while the card of loaded scenarios above it grows. */
  hold: () => void;
}

/** One scenario of the folders, with its parameters as a form. */
export function Loadable({ scenario, loaded, hold }: LoadableProps) {
  const { name, description, params } = scenario;
  const action = useAction();
  const made = useSignal('');
  const isLoaded = loaded.includes(made.value);
  const load = async (given?: object) => {
    hold();
    made.value = (await environment.value.scenarios.load(unchecked(name), given)).id;
  };
  const hasParameters = Object.keys(params).length > 0;
  const edit = async () => {
    write((await environment.value.scenarios.file(name)).text);
    document.getElementById('editor')?.scrollIntoView({ block: 'start' });
  };
  return (
    <li class="loadable">
      <div class="bar">
        <strong>{name}</strong>
        <div class="actions">
          {!hasParameters && <LoadedStatus isLoaded={isLoaded} />}
          <Do action={action} label={`Edit ${name}`} run={edit}>
            Edit
          </Do>
          {!hasParameters && (
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
      {hasParameters && <Parameters scenario={scenario} action={action} load={load} isLoaded={isLoaded} />}
    </li>
  );
}

interface ParametersProps {
  scenario: Available;
  action: Action;
  load: (given: object | undefined) => Promise<void>;
  isLoaded: boolean;
}

/** The form stays open after the scenario was loaded, so that nothing below it moves. */
function Parameters({ scenario: { name, params }, action, load, isLoaded }: ParametersProps) {
  const given = useSignal<Record<string, string>>({});
  return (
    <details>
      <summary>Load {name}…</summary>
      {Object.entries(params).map(([parameter, description]) => (
        <ParameterField
          key={parameter}
          name={parameter}
          parameter={description}
          value={given.value[parameter] ?? ''}
          onInput={(text) => (given.value = { ...given.value, [parameter]: text })}
        />
      ))}
      <div class="actions">
        <Do action={action} kind="main" run={() => load(valuesOf(given.value, params))}>
          Load
        </Do>
        <LoadedStatus isLoaded={isLoaded} />
      </div>
    </details>
  );
}

interface ParameterFieldProps {
  name: string;
  parameter: Available['params'][string];
  value: string;
  onInput: (text: string) => void;
}

function ParameterField({ name, parameter, value, onInput }: ParameterFieldProps) {
  const { description = '', default: usual, required, enum: values, type } = parameter;
  const standard = usual === undefined ? '' : plainText(usual);
  const shared = {
    label: required ? `${name} (required)` : name,
    hint: [description, standard !== '' && `Usually ${standard}.`]
      .filter(Boolean)
      .join(' ')
      .replaceAll('`', ''),
    value,
    onInput,
  };
  if (name === 'operation') return <OperationField {...shared} />;
  const choices = values?.map(String) ?? (type === 'boolean' ? ['true', 'false'] : undefined);
  return <Field {...shared} placeholder={standard || undefined} list={choices && ['', ...choices]} />;
}

/** Proposes the operations of the service; a pattern such as `UserService_*` may be typed. */
function OperationField(
  props: Omit<ParameterFieldProps, 'name' | 'parameter'> & { label: string; hint: string },
) {
  const { value: index } = useData(readIndex, ['none']);
  const ids = index?.operations.flatMap(({ id, document }) => (document === 'service' ? [id] : [])) ?? [];
  return <Suggestion {...props} suggestions={ids} />;
}

const LoadedStatus = ({ isLoaded }: { isLoaded: boolean }) => (
  <span class="outcome" role="status">
    {isLoaded && (
      <>
        Loaded in {environmentName.value}.{' '}
        <a href={href('scenarios')} onClick={showLoaded}>
          Show it
        </a>
      </>
    )}
  </span>
);

/** The address of the page has no place for an anchor, because it is itself one. */
function showLoaded(event: Event): void {
  event.preventDefault();
  const card = document.getElementById(LOADED);
  card?.focus();
  card?.scrollIntoView({ block: 'start' });
}

/** Fields are strings; a parameter that is not a string is written as JSON. Empty fields are left out. */
function valuesOf(given: Record<string, string>, params: Available['params']): object | undefined {
  const filled = Object.entries(given).filter(([, text]) => text !== '');
  if (filled.length === 0) return undefined;
  return Object.fromEntries(
    filled.map(([name, text]) => [name, params[name]?.type === 'string' ? text : jsonOrText(text)]),
  );
}
