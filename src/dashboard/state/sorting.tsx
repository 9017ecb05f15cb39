import type { Signal } from '@preact/signals';

export interface SortOrder {
  /** The member that orders the rows; undefined: the order in which they were created. */
  by: string | undefined;
  isReversed: boolean;
}

interface SortingProps {
  columns: readonly string[];
  /** Undefined: oldest first. */
  order: Signal<SortOrder | undefined>;
}

/** Each press on a column: ascending, descending, oldest first. */
export const Sorting = ({ columns, order }: SortingProps) => (
  <div class="sorting" role="group" aria-label="Sort by">
    <NewestFirst order={order} />
    {columns.map((name) => (
      <Column key={name} name={name} order={order} />
    ))}
  </div>
);

function NewestFirst({ order }: Pick<SortingProps, 'order'>) {
  const isPressed = order.value !== undefined && order.value.by === undefined;
  return (
    <button
      type="button"
      aria-pressed={isPressed}
      onClick={() => (order.value = isPressed ? undefined : { by: undefined, isReversed: true })}
    >
      newest first
    </button>
  );
}

function Column({ name, order }: Pick<SortingProps, 'order'> & { name: string }) {
  const current = order.value?.by === name ? order.value : undefined;
  const direction = current ? (current.isReversed ? ', descending' : ', ascending') : '';
  const next = current?.isReversed ? undefined : { by: name, isReversed: current !== undefined };
  return (
    <button
      type="button"
      aria-pressed={current !== undefined}
      aria-label={`Sort by ${name}${direction}`}
      onClick={() => (order.value = next)}
    >
      {name} {current ? (current.isReversed ? '↓' : '↑') : ''}
    </button>
  );
}
