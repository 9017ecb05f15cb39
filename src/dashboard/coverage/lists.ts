import type { Coverage } from '../../client/control.ts';
import { plainText } from '../../text/json.ts';
import { hasWords } from '../words.ts';

/** One thing that the contract or a scenario has, and how often the calls used it. */
export interface CoverageItem {
  key: string;
  name: string;
  detail: string;
  seen: number;
}

export interface CoverageList {
  title: string;
  /** What the filter calls used and unused items. */
  what: string;
  items: readonly CoverageItem[];
}

/** The lists of the page, in the order of the report. */
export const listsOf = (report: Coverage): readonly CoverageList[] => [
  { title: 'Operations', what: 'called', items: operationsOf(report) },
  { title: 'Statuses', what: 'seen', items: statusesOf(report) },
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

/** What is expected of each operation, then what any operation may answer. */
function statusesOf({ operations, failures }: Coverage): CoverageItem[] {
  const own = operations.flatMap(({ id, summary, responses }) =>
    responses
      .filter(({ expected }) => expected)
      .map(({ status, seen }) => ({
        key: `${id} ${status}`,
        name: `${status} ${id}`,
        detail: summary,
        seen,
      })),
  );
  const shared = failures.map(({ status, operations: count, seen }) => ({
    key: `any ${status}`,
    name: `${status} of any operation`,
    detail: count === 0 ? '' : `answered by ${count} ${count === 1 ? 'operation' : 'operations'}`,
    seen,
  }));
  return [...own, ...shared];
}

const eventsOf = ({ events }: Coverage): CoverageItem[] =>
  events.map(({ type, seen }) => ({ key: type, name: type, detail: '', seen }));

const rulesOf = ({ rules }: Coverage): CoverageItem[] =>
  rules.map(({ scenario, rule, on, file, loaded, fired }) => ({
    key: `${scenario} ${rule} ${plainText(on)} ${file ?? ''}`,
    name: `${scenario}, rule ${rule + 1}`,
    detail: [plainText(on), file, `loaded ${loaded} ${loaded === 1 ? 'time' : 'times'}`]
      .filter(Boolean)
      .join(' · '),
    seen: fired,
  }));

export type Wanted = 'all' | 'unused' | 'used';

export function filtered(items: readonly CoverageItem[], wanted: Wanted, text: string): CoverageItem[] {
  return items.filter(({ name, detail, seen }) => {
    const isWanted = wanted === 'all' || (wanted === 'used') === seen > 0;
    return isWanted && hasWords(`${name} ${detail}`, text);
  });
}

export const usedOf = (items: readonly CoverageItem[]): number => items.filter(({ seen }) => seen > 0).length;
