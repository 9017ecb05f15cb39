import type { JournalEntry } from '../../client/control.ts';
import { Badge } from '../parts/parts.tsx';
import { href } from '../route.ts';
import { unescapePointer } from './diff.ts';

type Change = JournalEntry['changes'][number];

interface Caused {
  type?: string;
  event_type?: string;
}

/** The events that the call caused, and their deliveries: rows that it has added. */
export function Events({ changes }: { changes: readonly Change[] }) {
  const caused = changes.flatMap(({ op, path, value }) => {
    const [, collection = '', id = '', ...more] = path.split('/').map(unescapePointer);
    const isOne = op === 'add' && more.length === 0 && CAUSED.has(collection);
    const { type, event_type: ofEvent } = (value ?? {}) as Caused;
    return isOne ? [{ collection, id, type: type ?? ofEvent ?? '' }] : [];
  });
  if (caused.length === 0) return null;
  return (
    <section class="card">
      <h2>Events and deliveries</h2>
      <ul class="plain">
        {caused.map(({ collection, id, type }) => (
          <li key={id}>
            <Badge kind={collection === 'events' ? 'note' : ''}>{CAUSED.get(collection)}</Badge> {type}{' '}
            <a href={href('row', collection, id)}>{id}</a>
          </li>
        ))}
      </ul>
    </section>
  );
}

const CAUSED = new Map([
  ['events', 'event'],
  ['webhook_deliveries', 'delivery'],
]);
