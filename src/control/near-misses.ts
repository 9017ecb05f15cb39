import type { Entry } from '../environments/entry.ts';
import { Redaction } from '../environments/redaction.ts';
import { isObject } from '../json-object.ts';
import type { Check } from './request-match.ts';

interface NearMiss {
  id: string;
  method: string;
  path: string;
  operation?: string;
  status?: number;
  differences: { field: string; expected: unknown; actual?: unknown }[];
}

const MOST_SHOWN = 3;

/** Calls that differ in the fewest fields, each with those fields; of those that differ in as many, the latest. */
export function nearestOf(entries: readonly Entry[], checks: readonly Check[], redact: boolean): NearMiss[] {
  return entries
    .map((entry) => ({ entry, failed: checks.filter(({ look, test }) => !test(look(entry))) }))
    .filter(({ failed }) => failed.length < checks.length || checks.length === 1)
    .toSorted((a, b) => distance(a.failed) - distance(b.failed) || b.entry.number - a.entry.number)
    .slice(0, MOST_SHOWN)
    .map(({ entry, failed }) => view(entry, failed, redact));
}

/** A call of something else is further away than any other difference makes it. */
const distance = (failed: readonly Check[]) =>
  failed.reduce((sum, { at }) => sum + (at[0] === 'operation' || at[0] === 'path' ? 3 : 1), 0);

function view(entry: Entry, failed: readonly Check[], redact: boolean): NearMiss {
  const { id, method, path, operation, status, headers, query, body } = entry;
  const redaction = redact ? new Redaction({ headers, query, body }) : undefined;
  const differences = failed.map(({ at, wanted, look }) => {
    const actual = look(entry);
    return {
      field: at.join('.'),
      expected: hidden(at, wanted, redaction),
      ...(actual !== undefined && { actual: hidden(at, actual, redaction) }),
    };
  });
  return {
    id,
    method,
    path: redaction?.text(path) ?? path,
    ...(operation !== undefined && { operation }),
    ...(status !== undefined && { status }),
    differences,
  };
}

/** The names on the way to a value say whether it is secret. */
function hidden(at: readonly string[], value: unknown, redaction: Redaction | undefined): unknown {
  if (!redaction) return value;
  const whole = at.slice(1).reduceRight<unknown>((inner, name) => ({ [name]: inner }), value);
  return at
    .slice(1)
    .reduce<unknown>(
      (outer, name) => (isObject(outer) && Object.hasOwn(outer, name) ? outer[name] : outer),
      redaction.value(whole),
    );
}
