import { useSignal, type Signal } from '@preact/signals';
import { Kept } from '../environments/kept.tsx';
import { Listed } from '../environments/listed.tsx';
import { Make } from '../environments/make.tsx';
import { Reset, Snapshots } from '../environments/snapshots.tsx';
import { useData } from '../data.ts';
import { Complaint, Empty, Heading } from '../parts/parts.tsx';
import { environmentName, href } from '../route.ts';
import { control, environmentChanges } from '../session.ts';

/** What changes the numbers of the list. */
const KINDS = ['environment', 'request', 'reset', 'state'];
/** Environments at rest on one page. */
const FIRST = { limit: 25 };

/** Isolated copies of everything: made, forked, reset and dropped here. */
export function EnvironmentsPage() {
  const starts = useSignal<readonly string[]>([]);
  const since = starts.value.at(-1);
  const read = () => control().environments.page(since === undefined ? FIRST : { ...FIRST, since });
  const { value, error } = useData(read, KINDS, since, environmentChanges.value);
  return (
    <>
      <Heading title="Environments">
        <a class="button" href={href('compare')}>
          Compare
        </a>
      </Heading>
      <Complaint of={error} />
      <Kept />
      <section class="card">
        <h2>{since === undefined ? 'All environments' : 'Environments at rest'}</h2>
        {!value && !error && <Empty>Loading…</Empty>}
        {value?.environments.map((each) => (
          <Listed key={each.name} listed={each} />
        ))}
        <Paging starts={starts} next={value?.next} />
      </section>
      <Make />
      <Reset key={environmentName.value} />
      <Snapshots />
    </>
  );
}

interface PagingProps {
  /** The name before each page but the first. */
  starts: Signal<readonly string[]>;
  next: string | undefined;
}

/** Environments at rest come in order of name, and there may be many thousands. */
function Paging({ starts, next }: PagingProps) {
  const before = starts.value;
  if (before.length === 0 && next === undefined) return null;
  return (
    <nav class="actions" aria-label="Environments at rest">
      <button
        type="button"
        disabled={before.length === 0}
        onClick={() => (starts.value = before.slice(0, -1))}
      >
        Previous page
      </button>
      <button
        type="button"
        disabled={next === undefined}
        onClick={() => next !== undefined && (starts.value = [...before, next])}
      >
        Next page
      </button>
      <span role="status">Page {before.length + 1}</span>
    </nav>
  );
}
