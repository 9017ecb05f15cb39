import { useSignal } from '@preact/signals';
import type { Timeline } from '@understudy/client/control';
import { useAction, useData } from '../data.ts';
import { bound, Choice } from '../parts/fields.tsx';
import { Badge, Complaint, Do, Empty, Time } from '../parts/parts.tsx';
import { href } from '../route.ts';
import { environment } from '../session.ts';
import { distance } from '../now.ts';

type Item = Timeline['due'][number];

const DUE = 50;
/** So many are read: the list of kinds, and those of one kind, are of them. */
const MOST_READ = 1000;
const EXPIRED = 10;

/** Lists what is due, with a button that advances the clock there, and what expired last. */
export function TimelineCard({ now }: { now: string | undefined }) {
  const { clock } = environment.value;
  // Loads again when an item comes due, and after each change of the clock or of a row.
  const kind = useSignal('');
  const list = useData(() => clock.timeline({ limit: MOST_READ }), ['clock', 'state', 'webhook', 'snapshot']);
  const { due = [], expired = [], counts } = list.value ?? {};
  const at = Date.parse(now ?? list.value?.now ?? '');
  const ahead = due.filter((item) => Date.parse(item.at) > at);
  const kinds = [...new Set(ahead.map(({ collection }) => collection))].toSorted();
  const wanted = ahead.filter(({ collection }) => kind.value === '' || collection === kind.value);
  const next = wanted.slice(0, DUE);
  const over = [...due.filter((item) => Date.parse(item.at) <= at).toReversed(), ...expired].slice(
    0,
    EXPIRED,
  );
  return (
    <>
      <section class="card">
        <h2>What is due</h2>
        <Complaint of={list.error} />
        {(kinds.length > 1 || kind.value !== '') && (
          <Choice
            label="Show"
            {...bound(kind)}
            options={[['', 'Everything'], ...kinds.map((each) => [each, each.replaceAll('_', ' ')] as const)]}
          />
        )}
        {list.value && next.length === 0 && <Empty>Nothing is due: no stored row expires.</Empty>}
        <Items items={next} now={at} isDue />
        {counts && (
          <More
            after={wanted.length - next.length}
            unread={counts.due - due.length}
            isAll={kind.value === ''}
          />
        )}
      </section>
      <section class="card">
        <h2>What expired last</h2>
        {list.value && over.length === 0 && <Empty>Nothing yet.</Empty>}
        <Items items={over} now={at} />
      </section>
    </>
  );
}

interface MoreProps {
  /** Read, but not shown. */
  after: number;
  unread: number;
  isAll: boolean;
}

/** What the list leaves out. */
function More({ after, unread, isAll }: MoreProps) {
  const left = isAll ? after + unread : after;
  return (
    <>
      {left > 0 && <p class="faint">and {left.toLocaleString('en')} more after these</p>}
      {!isAll && unread > 0 && (
        <p class="faint">
          Only the next {MOST_READ.toLocaleString('en')} items were searched, not the{' '}
          {unread.toLocaleString('en')} after them.
        </p>
      )}
    </>
  );
}

interface ItemsProps {
  items: readonly Item[];
  now: number;
  isDue?: boolean;
}

const Items = ({ items, now, isDue = false }: ItemsProps) =>
  items.length === 0 ? null : (
    <ol class="plain timeline">
      {items.map((item) => (
        <li key={`${item.at} ${item.collection} ${item.id} ${item.effect}`}>
          <div class="when">
            <strong>{distance(Date.parse(item.at), now)}</strong>{' '}
            <span class="faint">
              <Time at={item.at} />
            </span>
          </div>
          <div class="what">
            {isDue ? item.effect : inThePast(item.effect)}{' '}
            {item.label !== undefined && <span class="about">{item.label}</span>}{' '}
            <Badge>{item.collection.replaceAll('_', ' ')}</Badge>{' '}
            <a href={href('row', item.collection, item.id)}>{item.id}</a>
          </div>
          {isDue && <AdvanceTo item={item} />}
        </li>
      ))}
    </ol>
  );

/** The verbs of the effects, as the server writes them. */
const PAST: Readonly<Record<string, string>> = {
  expires: 'expired',
  expire: 'expired',
  ends: 'ended',
  fails: 'failed',
  becomes: 'became',
  sends: 'sent',
  pushes: 'pushed',
  stops: 'stopped',
  can: 'could',
};
const VERBS = new RegExp(`\\b(${Object.keys(PAST).join('|')})\\b`, 'g');

/** What has happened: `The invitation expired.` */
const inThePast = (effect: string) => effect.replace(VERBS, (verb) => PAST[verb]!);

/** Moves the clock to the item; the server's clock says how far that is. */
function AdvanceTo({ item }: { item: Item }) {
  const action = useAction();
  const { clock } = environment.value;
  const advance = async () => {
    const { now } = await clock.get();
    await clock.advance(Math.max(0, Date.parse(item.at) - Date.parse(now)));
  };
  return (
    <div class="there">
      <Complaint of={action.error.value} />
      <Do action={action} label={`Advance to here: ${item.effect} ${item.label ?? item.id}`} run={advance}>
        Advance to here
      </Do>
    </div>
  );
}
