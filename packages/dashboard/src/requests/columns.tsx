import { changeFilter, filter, isAll, type SortedBy } from './call-filter.ts';

/** The columns of the list, in order; those with a name of the server sort it. */
const COLUMNS: readonly { title: string; class: string; by?: SortedBy; first?: 'highest' }[] = [
  { title: 'Time', class: 'time', by: 'time' },
  { title: 'Status', class: 'status', by: 'status', first: 'highest' },
  { title: 'Method', class: 'method', by: 'method' },
  { title: 'Environment', class: 'environment' },
  { title: 'Operation', class: 'operation', by: 'operation' },
  { title: 'Path', class: 'path', by: 'path' },
  { title: 'Scenario', class: 'scenario' },
  { title: 'Duration', class: 'duration', by: 'duration', first: 'highest' },
];

/** Each press on a heading: one order, the other one, newest first. */
export const Columns = () => (
  <div class="call heads" role="group" aria-label="Sort the calls">
    {COLUMNS.filter((column) => column.class !== 'environment' || isAll.value).map((column) =>
      column.by === undefined ? (
        <span key={column.title} class={column.class}>
          {column.title}
        </span>
      ) : (
        <Head key={column.title} {...column} by={column.by} />
      ),
    )}
  </div>
);

function Head({ title, class: name, by, first }: (typeof COLUMNS)[number] & { by: SortedBy }) {
  const { sort, reverse } = filter.value;
  const isSorted = sort === by;
  const isReversed = reverse === 'true';
  const begins = first === 'highest' ? 'true' : '';
  const next = !isSorted
    ? { sort: by, reverse: begins }
    : isReversed === (begins === 'true') && by !== 'time'
      ? { sort: by, reverse: isReversed ? '' : 'true' }
      : { sort: '', reverse: '' };
  const direction = isSorted ? (isReversed ? ', descending' : ', ascending') : '';
  return (
    <button
      type="button"
      class={name}
      aria-pressed={isSorted}
      aria-label={`Sort by ${title.toLowerCase()}${direction}`}
      onClick={() => changeFilter(next)}
    >
      {title} {isSorted ? (isReversed ? '↓' : '↑') : ''}
    </button>
  );
}
