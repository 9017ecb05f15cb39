import type { Coverage } from '@understudy/client/control';
import { plainText } from '@understudy/text/json';
import { saveFile } from '../browser.ts';
import { useAction, useData } from '../data.ts';
import { Search } from '../parts/fields.tsx';
import { Badge, Complaint, Do, Empty, Heading } from '../parts/parts.tsx';
import { useQueryText } from '../parts/query-text.ts';
import { changeQuery, route } from '../route.ts';
import { environment } from '../session.ts';
import { hasWords } from '@understudy/text/words';

const FIRST = 'Operations';

/** The list that is shown. */
const shownTitle = () => route.value.query.get('list') ?? FIRST;

/** Which of its items, and the words that they have. */
const wantedItems = (): Wanted => WANTED.find((each) => each === route.value.query.get('show')) ?? 'unused';

const wantItems = (wanted: Wanted) => changeQuery({ show: wanted === 'unused' ? undefined : wanted });

/** What of the contract the calls of this environment have used, and what not. */
export function CoveragePage() {
  const { value, error } = useData(() => environment.value.coverage(), ['request', 'scenario']);
  const action = useAction();
  const lists = value && listsOf(value);
  const list = lists?.find(({ title }) => title === shownTitle());
  return (
    <>
      <Heading title="Coverage">
        <Do action={action} run={saveReport}>
          Save the whole report
        </Do>
      </Heading>
      <Complaint of={error ?? action.error.value} />
      {value && (
        <p class="faint">
          {value.summary.calls} {value.summary.calls === 1 ? 'call' : 'calls'} counted. A reset keeps the
          counts.
        </p>
      )}
      <div class="shares" role="group" aria-label="Lists">
        {lists?.map((each) => (
          <ShareButton key={each.title} list={each} />
        ))}
      </div>
      {list && <Items list={list} />}
    </>
  );
}

/** The share of one list; pressing it shows the list. */
function ShareButton({ list: { title, what, items } }: { list: CoverageList }) {
  const used = usedOf(items);
  return (
    <button
      type="button"
      aria-pressed={shownTitle() === title}
      onClick={() => changeQuery({ list: title === FIRST ? undefined : title })}
    >
      <strong>{title}</strong>
      <span>
        {used} of {items.length} {what}
      </span>
      <span class="gauge" aria-hidden="true">
        <span style={{ width: `${(100 * used) / Math.max(items.length, 1)}%` }} />
      </span>
    </button>
  );
}

function Items({ list: { title, what, items } }: { list: CoverageList }) {
  const wanted = wantedItems();
  const text = useQueryText('find');
  const shown = filtered(items, wanted, text.value);
  return (
    <section class="card">
      <h2>{title}</h2>
      <div class="filter">
        <select
          aria-label="Show"
          value={wanted}
          onChange={(event) => wantItems(event.currentTarget.value as Wanted)}
        >
          <option value="unused">Not {what}</option>
          <option value="used">{what.replace(/^./, (first) => first.toUpperCase())}</option>
          <option value="all">All</option>
        </select>
        <Search label="Find" placeholder="Name, path or text" text={text} />
        <span class="faint" role="status">
          {shown.length} of {items.length} shown
        </span>
      </div>
      {shown.length === 0 && <Nothing items={items} what={what} wanted={wanted} text={text.value} />}
      <ul class="plain rows covered" aria-label={title}>
        {shown.map(({ key, name, detail, seen }) => (
          <li key={key}>
            <span>
              <code>{name}</code> {detail && <small class="faint">{detail}</small>}
            </span>
            <Badge kind={seen > 0 ? 'good' : ''}>{seen > 0 ? `${seen} ×` : `not ${what}`}</Badge>
          </li>
        ))}
      </ul>
    </section>
  );
}

interface NothingProps extends Pick<CoverageList, 'items' | 'what'> {
  wanted: Wanted;
  text: string;
}

function Nothing({ items, what, wanted, text }: NothingProps) {
  const others = filtered(items, 'all', text).length;
  if (items.length === 0) return <Empty>No scenario was loaded.</Empty>;
  if (text.trim() === '')
    return <Empty>{wanted === 'unused' ? `All of them were ${what}.` : `None was ${what} yet.`}</Empty>;
  if (others === 0) return <Empty>Nothing here has this text.</Empty>;
  return (
    <Empty>
      {wanted === 'unused'
        ? `All that have this text were ${what}.`
        : `None that has this text was ${what} yet.`}{' '}
      <button type="button" onClick={() => wantItems('all')}>
        Show {others === 1 ? 'it' : `all ${others}`}
      </button>
    </Empty>
  );
}

/** The saved page needs no server. */
async function saveReport(): Promise<void> {
  const page = await environment.value.coveragePage();
  saveFile(`coverage-${environment.value.name}.html`, 'text/html', page);
}

/** One thing that the contract or a scenario has, and how often the calls used it. */
interface CoverageItem {
  key: string;
  name: string;
  detail: string;
  seen: number;
}

interface CoverageList {
  title: string;
  /** What the filter calls used and unused items. */
  what: string;
  items: readonly CoverageItem[];
}

/** The lists of the page, in the order of the report. */
const listsOf = (report: Coverage): readonly CoverageList[] => [
  { title: 'Operations', what: 'called', items: operationsOf(report) },
  { title: 'Responses', what: 'seen', items: responsesOf(report) },
  { title: 'Failures', what: 'seen', items: failuresOf(report) },
  { title: 'Event types', what: 'caused', items: eventsOf(report) },
  { title: 'Scenario rules', what: 'applied', items: rulesOf(report) },
];

const operationsOf = ({ operations }: Coverage): CoverageItem[] =>
  operations.map(({ id, summary, calls, bindings }) => ({
    key: id,
    name: id,
    detail: [summary, ...bindings.map(({ method, path }) => `${method} ${path}`)].join(' · '),
    seen: calls,
  }));

/** What is expected of each operation. */
const responsesOf = ({ operations }: Coverage): CoverageItem[] =>
  operations.flatMap(({ id, summary, responses }) =>
    responses
      .filter(({ expected }) => expected)
      .map(({ status, seen }) => ({
        key: `${id} ${status}`,
        name: `${status} ${id}`,
        detail: summary,
        seen,
      })),
  );

/** What any operation may answer. */
const failuresOf = ({ failures }: Coverage): CoverageItem[] =>
  failures.map(({ status, operations: count, seen }) => ({
    key: `any ${status}`,
    name: `${status} of any operation`,
    detail: count === 0 ? '' : `answered by ${count} ${count === 1 ? 'operation' : 'operations'}`,
    seen,
  }));

const eventsOf = ({ events }: Coverage): CoverageItem[] =>
  events.map(({ type, seen }) => ({ key: type, name: type, detail: '', seen }));

const rulesOf = ({ rules }: Coverage): CoverageItem[] =>
  rules.map(({ scenario, rule, on, file, loaded, fired }) => ({
    key: `${scenario} ${rule} ${plainText(on)} ${file ?? ''}`,
    name: `${scenario}, rules[${rule}]`,
    detail: [plainText(on), file, `loaded ${loaded} ${loaded === 1 ? 'time' : 'times'}`]
      .filter(Boolean)
      .join(' · '),
    seen: fired,
  }));

const WANTED = ['all', 'unused', 'used'] as const;
type Wanted = (typeof WANTED)[number];

function filtered(items: readonly CoverageItem[], wanted: Wanted, text: string): CoverageItem[] {
  return items.filter(({ name, detail, seen }) => {
    const isWanted = wanted === 'all' || (wanted === 'used') === seen > 0;
    return isWanted && hasWords(`${name} ${detail}`, text);
  });
}

const usedOf = (items: readonly CoverageItem[]): number => items.filter(({ seen }) => seen > 0).length;
