import type { Collection, RelatedRows, Timeline } from '@understudy/client/control';
import { useData } from '../data.ts';
import { Badge, Complaint, Empty, statusKind, Time } from '../parts/parts.tsx';
import { href, withQuery } from '../route.ts';
import { environment } from '../session.ts';

interface Place {
  collection: Collection;
  id: string;
}

/** What has to do with a row: other rows, calls, events, and what the clock will do to it. */
export const Surroundings = (place: Place) => (
  <div class="surroundings">
    <RelatedOnes {...place} />
    <Calls id={place.id} />
    <Happenings {...place} />
  </div>
);

function RelatedOnes({ collection, id }: Place) {
  const { value, error } = useData(
    () => environment.value.state.related(collection, id),
    ['state', 'snapshot'],
    collection,
    id,
  );
  if (!value) return <Complaint of={error} />;
  if (value.references.length + value.related.length === 0) return null;
  return (
    <section class="card">
      <h2>Related rows</h2>
      <dl class="pairs">
        {value.references.map((each) => (
          <div key={`${each.member} ${each.id}`}>
            <dt>{each.member}</dt>
            <dd>
              <a href={href('row', each.collection, each.id)}>{each.name}</a>{' '}
              {each.name !== each.id && <code class="faint">{each.id}</code>}
            </dd>
          </div>
        ))}
        {value.related.map((each) => (
          <Referring key={`${each.collection} ${each.member}`} of={each} id={id} />
        ))}
      </dl>
    </section>
  );
}

/** The rows of a collection that name this one. Quotes around the id find it as a whole. */
function Referring({ of, id }: { of: RelatedRows['related'][number]; id: string }) {
  const { collection, member, count, first } = of;
  const all = withQuery(href('state', collection), { contains: JSON.stringify(id) });
  return (
    <div>
      <dt>
        <a href={all}>{collection.replaceAll('_', ' ')}</a> <small>{count.toLocaleString('en')}</small>{' '}
        {member !== USUAL && <small>by {member}</small>}
      </dt>
      <dd>
        {first.map((each, index) => (
          <>
            {index > 0 && ', '}
            <a href={href('row', collection, each.id)}>{each.name}</a>
          </>
        ))}
        {count > first.length && (
          <>
            {' '}
            and <a href={all}>{(count - first.length).toLocaleString('en')} more</a>
          </>
        )}
      </dd>
    </div>
  );
}

const USUAL = 'organization_id';
const LATEST = 5;

/** The latest calls that name the row in their path or a body. */
function Calls({ id }: { id: string }) {
  const { value } = useData(
    () => environment.value.requests.page({ contains: id, sort: 'time', reverse: true, limit: LATEST }),
    ['request'],
    id,
  );
  if (!value) return null;
  const all = withQuery(href('requests'), { contains: id });
  return (
    <section class="card">
      <h2>Calls that name it</h2>
      {value.total === 0 && <Empty>No call of the journal names this row.</Empty>}
      <ul class="plain">
        {value.requests.map(({ id: call, time, status, expected, operation, method, path }) => (
          <li key={call}>
            <Badge kind={expected === undefined ? statusKind(status) : 'note'}>{status ?? 'none'}</Badge>{' '}
            <a href={withQuery(href('request', call), { contains: id })}>
              {operation ?? `${method} ${path}`}
            </a>{' '}
            <small class="faint">
              <Time at={time} />
            </small>
          </li>
        ))}
      </ul>
      {value.total > LATEST && (
        <p>
          <a href={all}>All {value.total.toLocaleString('en')} calls</a>
        </p>
      )}
    </section>
  );
}

/** The latest events about the row, and what is due. */
function Happenings({ collection, id }: Place) {
  const { value } = useData(() => happenings(id), ['state', 'clock', 'snapshot'], id);
  if (!value || value.events.total + value.due.length + value.unread === 0) return null;
  const { events, due, unread } = value;
  return (
    <section class="card">
      <h2>Events, and what is due</h2>
      <ul class="plain">
        {due
          .filter((each) => each.collection === collection)
          .map(({ at, effect }) => (
            <li key={`${at} ${effect}`}>
              <Badge kind="note">due</Badge> {effect}{' '}
              <small class="faint">
                <Time at={at} />
              </small>
            </li>
          ))}
        {events.rows.map((event) => (
          <li key={event.id}>
            <Badge>event</Badge> <a href={href('row', 'events', event.id)}>{event.type}</a>
          </li>
        ))}
      </ul>
      {unread > 0 && due.length === 0 && (
        <p class="faint">
          Whether something is due is not known: the {unread.toLocaleString('en')} items that are due last
          were not searched.
        </p>
      )}
      {events.total > events.rows.length && (
        <p>
          <a href={withQuery(href('state', 'events'), { contains: JSON.stringify(id) })}>
            All {events.total.toLocaleString('en')} events
          </a>
        </p>
      )}
    </section>
  );
}

async function happenings(id: string) {
  const { state, clock } = environment.value;
  const query = { contains: JSON.stringify(id), reverse: true, limit: LATEST };
  const [events, timeline] = await Promise.all([
    state.page('events', query),
    clock.timeline({ limit: 1000 }),
  ]);
  const due: Timeline['due'] = timeline.due.filter((each) => each.id === id);
  const unread = timeline.counts.due - timeline.due.length;
  return { events: events as { total: number; rows: { id: string; type: string }[] }, due, unread };
}
