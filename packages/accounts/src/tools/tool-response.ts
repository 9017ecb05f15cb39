import type { Env, Rows } from '@understudy/core/state/env';
import { failedPrecondition } from '@understudy/core/contract/errors';
import { isObject, plainText, SizeBudget } from '@understudy/text/json';
import { ownPlaceholder, PLACEHOLDER } from '@understudy/core/state/placeholders';
import { AccountRecords } from './account-records.ts';
import { uniqueTime } from './record-times.ts';
import { runDirective, type NewRecord, type RecordFiller } from './record-directives.ts';
import { TemplateDraws } from './template-draws.ts';

type Account = Rows['connected_accounts'];

export type Params = Readonly<Record<string, unknown>>;

/**
 * Fills the template of a tool's reply. `{{…}}` in texts is faker's, `{"$param": name, "default": …}` reads a
 * parameter of the call, `{"$int": [min, max]}` and `{"$bool": true}` are random, `{"$repeat": count, "of":
 * …}` makes a list and `{"$count": count}` gives its length. `{"$now": "iso"}` is the time. `runDirective` lists and
 * changes records of the account. The same environment and call give the same reply.
 */
export function fillTemplate(
  template: unknown,
  params: Params,
  env: Env,
  account: Account,
): Record<string, unknown> {
  const filled = fillAny(template, params, env, account);
  return isObject(filled) ? filled : { result: filled };
}

/** Like `fillTemplate`, but the result need not be an object. */
export function fillAny(template: unknown, params: Params, env: Env, account: Account): unknown {
  const budget = new SizeBudget();
  const ink: FillContext = { draws: TemplateDraws.of(env), params, budget, now: env.clock.ms };
  ink.filler = {
    records: new AccountRecords(env, account, budget),
    fill: (part, made) => fillNested(part, ink, made),
  };
  return orRefused(() => fillValue(template, ink));
}

/** A record has numbers of its own, and one budget with all others. */
function fillNested(part: unknown, ink: FillContext, made: NewRecord | undefined): unknown {
  const before = ink.made;
  ink.made = made ?? before;
  const filled = fillValue(part, ink);
  ink.made = before;
  return filled;
}

interface FillContext {
  draws: TemplateDraws;
  params: Params;
  budget: SizeBudget;
  /** In milliseconds since 1970. */
  now: number;
  filler?: RecordFiller;
  made?: NewRecord | undefined;
}

/** At most 100 000 values. */
const VALUE_COST = 100;

function fillValue(at: unknown, ink: FillContext): unknown {
  ink.budget.spend(VALUE_COST);
  if (typeof at === 'string') return fillText(at, ink);
  if (Array.isArray(at)) return at.map((each) => fillValue(each, ink));
  if (!isObject(at)) return at;
  return fillObject(at, ink);
}

function fillText(text: string, ink: FillContext): string {
  const filled = text.replaceAll(PLACEHOLDER, (placeholder) => {
    const made = fillPlaceholder(placeholder, ink);
    ink.budget.spend(VALUE_COST + made.length);
    return made;
  });
  ink.budget.spend(filled.length);
  return filled;
}

/** Faker does not read the values of `{{param.name}}`, `{{record.number}}` and `{{record.in}}` again. */
function fillPlaceholder(placeholder: string, { draws, params, made }: FillContext): string {
  const [kind, name = ''] = ownPlaceholder(placeholder) ?? [];
  if (kind === 'param') return plainText(params[name]);
  if (kind === 'record') return String(name === 'in' ? made?.group : made?.number);
  return draws.text(placeholder);
}

function orRefused<T>(make: () => T): T {
  try {
    return make();
  } catch (thrown) {
    if (!(thrown instanceof RangeError)) throw thrown;
    throw failedPrecondition(`the template of the reply: ${(thrown as Error).message}`);
  }
}

function fillObject(at: Record<string, unknown>, ink: FillContext): unknown {
  const done = runDirective(at, ink.filler);
  if (done) return ink.budget.use(done.value);
  if ('$param' in at)
    return ink.budget.use(ink.params[String(at['$param'])]) ?? fillValue(at['default'] ?? null, ink);
  if ('$number' in at) return ink.made?.number ?? null;
  if ('$now' in at) return timeAs(String(at['$now']), ink);
  if ('$int' in at) return drawInteger(at['$int'], ink.draws);
  if ('$bool' in at) return ink.draws.boolean();
  if ('$length' in at) return lengthOf(fillValue(at['$length'], ink));
  if ('$count' in at) return countOf(fillValue(at['$count'], ink));
  if ('$repeat' in at)
    return Array.from({ length: countOf(fillValue(at['$repeat'], ink)) }, () => fillValue(at['of'], ink));
  return Object.fromEntries(Object.entries(at).map(([name, member]) => [name, fillValue(member, ink)]));
}

const lengthOf = (value: unknown): number => (Array.isArray(value) ? value.length : 0);

/** Providers write times in four ways: `iso`, `seconds`, `milliseconds` as a text, and `unique`, which is Slack's. */
function timeAs(form: string, { now, made }: Pick<FillContext, 'now' | 'made'>): unknown {
  if (form === 'unique') return uniqueTime(now, made?.before);
  if (form === 'seconds') return Math.floor(now / 1000);
  return form === 'milliseconds' ? String(now) : new Date(now).toISOString();
}

function drawInteger(range: unknown, draws: TemplateDraws): number {
  const [min = 0, max = 100] = Array.isArray(range) ? range.map(Number) : [];
  if (!(min <= max)) throw new RangeError(`{"$int": [${min}, ${max}]} has no whole number`);
  return draws.integer(min, max);
}

const MOST_REPEATED = 100;

const countOf = (wanted: unknown) => Math.max(0, Math.min(MOST_REPEATED, Math.floor(Number(wanted)) || 0));
