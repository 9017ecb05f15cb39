import { signal } from '@preact/signals';
import type { CallLine } from './call-line.ts';
import { calls, isAll } from './journal.ts';
import { wordsOf } from '../../text/words.ts';
import { Search } from '../parts/fields.tsx';

/** The filter stays while the reader looks at one call and comes back. */
const words = signal('');
const operation = signal('');
const status = signal('');
const protocol = signal('');

const NO_ANSWER = 'no answer';
const STATUSES = [
  ['', 'Any status'],
  ...['2xx', '3xx', '4xx', '5xx', NO_ANSWER].map((each) => [each, each] as const),
] as const;
const PROTOCOLS = [
  ['', 'Any protocol'],
  ['http', 'HTTP'],
  ['grpc', 'gRPC'],
  ['connect', 'Connect'],
] as const;

export function matches(): (line: CallLine) => boolean {
  const texts = wordsOf(words.value);
  const isOperation = operationTest(operation.value);
  const [wanted, carrier] = [status.value, protocol.value];
  return (line) =>
    isOperation(line.operation ?? '') &&
    hasStatus(line, wanted) &&
    line.protocol.startsWith(carrier) &&
    texts.every((text) => line.text.includes(text));
}

const hasStatus = (line: CallLine, wanted: string) =>
  wanted === '' ||
  (wanted === NO_ANSWER ? line.status === 0 : line.status > 0 && String(line.status)[0] === wanted[0]);

/** A name or a part of it; with `*`, a pattern for the whole name. */
function operationTest(typed: string): (name: string) => boolean {
  const wanted = typed.trim().toLowerCase();
  if (!wanted.includes('*')) return (name) => name.toLowerCase().includes(wanted);
  const parts = wanted.split('*').map((part) => part.replace(/[^\w]/g, '\\$&'));
  const pattern = new RegExp(`^${parts.join('.*')}$`, 'i');
  return (name) => pattern.test(name);
}

export const Filter = ({ count }: { count: number }) => (
  <form class="filter" role="search" onSubmit={(event) => event.preventDefault()}>
    <Search
      label="Filter by operation, path, method, id or scenario"
      placeholder="Path, method, scenario…"
      text={words}
    />
    <input
      list="operations-seen"
      autocomplete="off"
      spellcheck={false}
      aria-label="Operation"
      placeholder="Operation or UserService_*"
      value={operation.value}
      onInput={(event) => (operation.value = event.currentTarget.value)}
    />
    <datalist id="operations-seen">
      {operationsSeen().map((each) => (
        <option key={each} value={each} />
      ))}
    </datalist>
    <Select label="Status" of={status} options={STATUSES} />
    <Select label="Protocol" of={protocol} options={PROTOCOLS} />
    <select
      aria-label="Calls of"
      value={isAll.value ? 'all' : ''}
      onChange={(event) => (isAll.value = event.currentTarget.value === 'all')}
    >
      <option value="">This environment</option>
      <option value="all">All environments</option>
    </select>
    <span class="faint" role="status">
      {count === 1 ? '1 call' : `${count} calls`}
    </span>
  </form>
);

const operationsSeen = () => [...new Set(calls.value.flatMap((line) => line.operation ?? []))].toSorted();

interface SelectProps {
  label: string;
  of: typeof status;
  options: readonly (readonly [value: string, name: string])[];
}

const Select = ({ label, of, options }: SelectProps) => (
  <select aria-label={label} value={of.value} onChange={(event) => (of.value = event.currentTarget.value)}>
    {options.map(([value, name]) => (
      <option key={value} value={value}>
        {name}
      </option>
    ))}
  </select>
);
