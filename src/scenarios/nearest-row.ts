import { includes, member } from './matching.ts';
import { suggest } from '../text/suggestion.ts';

type Members = Readonly<Record<string, unknown>>;

/** More are not looked at: a hint is not worth a second. */
const MOST = 10_000;

/** What to say when no row has all that is wanted: the row that has most of it, or a value that is nearly the same. */
export function nearestRow(match: Members, rows: readonly (Members & { readonly id: string })[]): string {
  const some = rows.slice(0, MOST);
  const names = Object.keys(match);
  const differing = (row: Members) => names.filter((name) => !includes(row, { [name]: match[name] }));
  const ranked = some.map((row) => ({ row, wrong: differing(row) }));
  // What is written first is mostly what says which row is meant.
  const firstWrong = (wrong: readonly string[]) => names.indexOf(wrong[0] ?? '');
  const [nearest] = ranked.toSorted(
    (a, b) => a.wrong.length - b.wrong.length || firstWrong(b.wrong) - firstWrong(a.wrong),
  );
  if (nearest && nearest.wrong.length < names.length) {
    const { row, wrong } = nearest;
    return `; ${row.id} would, but for ${wrong.map((name) => `${name} ${shown(member(row, name))}`).join(', ')}`;
  }
  return names.map((name) => nearValue(name, match[name], some)).find((hint) => hint !== '') ?? '';
}

function nearValue(name: string, wanted: unknown, rows: readonly Members[]): string {
  if (typeof wanted !== 'string') return '';
  const values = rows.map((row) => member(row, name)).filter((value) => typeof value === 'string');
  return suggest(wanted, values).replace('did you mean', `did you mean the ${name}`);
}

const shown = (value: unknown) => (value === undefined ? 'is not there' : `is ${JSON.stringify(value)}`);
