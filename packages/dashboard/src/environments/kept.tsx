import type { KeptEnvironment } from '@understudy/client/control';
import { hasWords } from '@understudy/text/words';
import { useData } from '../data.ts';
import { distance, machineNow } from '../now.ts';
import { Search } from '../parts/fields.tsx';
import { Badge, Complaint, Empty } from '../parts/parts.tsx';
import { useQueryText } from '../parts/query-text.ts';
import { hrefIn } from '../route.ts';
import { control, environmentChanges } from '../session.ts';

/** The environments that are kept for tests, the latest first. Nothing if there are none. */
export function Kept() {
  const { value, error } = useData(
    () => control().environments.kept(),
    ['environment'],
    environmentChanges.value,
  );
  const words = useQueryText('test');
  if (error !== undefined) return <Complaint of={error} />;
  if (!value || value.length === 0) return null;
  const shown = value.filter(({ kept }) => hasWords(kept.test, words.value));
  return (
    <section class="card">
      <h2>Kept for tests</h2>
      <Search label="Search the tests" placeholder="Part of the name of a test" text={words} />
      {shown.length === 0 && <Empty>No test has these words.</Empty>}
      <ul class="plain rows" aria-label="Kept for tests">
        {shown.map((each) => (
          <KeptTest key={each.name} {...each} />
        ))}
      </ul>
    </section>
  );
}

const KeptTest = ({ name, kept: { test, outcome, kept_at: at } }: KeptEnvironment) => (
  <li>
    <a href={hrefIn(name, 'requests')}>{test}</a>{' '}
    <Badge kind={outcome === 'failed' ? 'bad' : 'good'}>{outcome}</Badge>{' '}
    <span class="faint">
      {name},{' '}
      <time dateTime={at} title={at}>
        {distance(at, machineNow())}
      </time>
    </span>
  </li>
);
