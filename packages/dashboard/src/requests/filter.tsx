import { Search } from '../parts/fields.tsx';
import { useQueryText } from '../parts/query-text.ts';
import { changeFilter, filter, isNarrow, type CallFilter } from './call-filter.ts';
import { calls, counts } from './journal.ts';

const STATUSES = [
  ['', 'Any status'],
  ...['2xx', '3xx', '4xx', '5xx'].map((each) => [each, each] as const),
  ['none', 'no answer'],
] as const;
const PROTOCOLS = [
  ['', 'Any protocol'],
  ['http/*', 'HTTP'],
  ['grpc*', 'gRPC'],
  ['connect', 'Connect'],
  ['mcp', 'MCP'],
] as const;
const ENVIRONMENTS = [
  ['', 'This environment'],
  ['true', 'All environments'],
] as const;

/** Conditions that are folded, because they are needed less often. */
const MORE = [
  ['method', 'Method', 'POST'],
  ['path', 'Path', '/api/v1/users/*'],
  ['caller', 'Caller', 'skc_… or usr_*'],
] as const;

export function Filter() {
  const { operation, status, protocol, all } = filter.value;
  return (
    <form class="filter" role="search" onSubmit={(event) => event.preventDefault()}>
      <Words />
      <Typed name="operation" label="Operation" hint="Operation or UserService_*" list="operations-seen" />
      <datalist id="operations-seen">
        {operationsSeen(operation).map((each) => (
          <option key={each} value={each} />
        ))}
      </datalist>
      <Select label="Status" name="status" value={status} options={STATUSES} />
      <Select label="Protocol" name="protocol" value={protocol} options={PROTOCOLS} />
      <Select label="Calls of" name="all" value={all} options={ENVIRONMENTS} />
      <details class="more-conditions" open={MORE.some(([name]) => filter.value[name] !== undefined)}>
        <summary>More</summary>
        <div>
          {MORE.map(([name, label, hint]) => (
            <Typed key={name} name={name} label={label} hint={hint} />
          ))}
        </div>
      </details>
      <span class="faint" role="status">
        {counted()}
      </span>
    </form>
  );
}

/** How many calls match, of how many. */
function counted(): string {
  if (!counts.value) return '';
  const { total, kept } = counts.value;
  const text = (count: number) => count.toLocaleString('en');
  if (isNarrow.value) return `${text(total)} of ${text(kept)} ${kept === 1 ? 'call' : 'calls'}`;
  return kept === 1 ? '1 call' : `${text(kept)} calls`;
}

const operationsSeen = (typed = '') =>
  [...new Set(calls.value.flatMap((line) => line.operation ?? []))]
    .filter((each) => each !== typed)
    .toSorted();

/** A condition that is typed. */
const useTyped = (name: keyof CallFilter) => useQueryText(name, (text) => changeFilter({ [name]: text }));

const Words = () => (
  <Search
    label="Filter by any text of a call, such as a path, an id, a scenario or a value in a body"
    placeholder="Any text of a call"
    text={useTyped('contains')}
  />
);

interface TypedProps {
  name: keyof CallFilter;
  label: string;
  hint: string;
  list?: string;
}

function Typed({ name, label, hint, list }: TypedProps) {
  const text = useTyped(name);
  return (
    <input
      list={list}
      autocomplete="off"
      spellcheck={false}
      aria-label={label}
      placeholder={list === undefined ? `${label}: ${hint}` : hint}
      value={text.value}
      onInput={(event) => (text.value = event.currentTarget.value)}
    />
  );
}

interface SelectProps {
  label: string;
  name: keyof CallFilter;
  value: string | undefined;
  options: readonly (readonly [value: string, name: string])[];
}

/** An address may name a value that the list does not offer, such as the status 404. */
function Select({ label, name, value = '', options }: SelectProps) {
  const isKnown = options.some(([each]) => each === value);
  return (
    <select
      aria-label={label}
      value={value}
      onChange={(event) => changeFilter({ [name]: event.currentTarget.value })}
    >
      {[...options, ...(isKnown ? [] : [[value, value] as const])].map(([each, text]) => (
        <option key={each} value={each}>
          {text}
        </option>
      ))}
    </select>
  );
}
