import { Faker, base, en } from '@faker-js/faker';
import type { Env } from '../../environment/env.ts';
import { failedPrecondition } from '../../errors.ts';
import { isObject, plainText } from '../../text/json.ts';
import type { Rows } from '../../environment/rows/schema.ts';
import { AccountRecords } from './account-records.ts';
import { runDirective, type NewRecord, type RecordFiller } from './record-directives.ts';

type Account = Rows['connected_accounts'];

export type Params = Readonly<Record<string, unknown>>;

/** Faker would format dates in the machine's locale and time zone. */
const DATE = /\{\{date\.(recent|past|soon|future)\}\}/g;

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
  const faker = new Faker({ locale: [en, base], seed: env.draw.integer() });
  faker.setDefaultRefDate(new Date(env.clock.ms));
  const ink: FillContext = { faker, params, left: BUDGET, now: env.clock.ms };
  ink.filler = {
    records: new AccountRecords(env, account),
    fill: (part, made) => fillNested(part, ink, made),
  };
  return fillValue(template, ink);
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
  faker: Faker;
  params: Params;
  /** Remaining budget: one per character and ten per value. */
  left: number;
  /** In milliseconds since 1970. */
  now: number;
  filler?: RecordFiller;
  made?: NewRecord | undefined;
}

const BUDGET = 1_000_000;
const VALUE_COST = 10;

/** Nested lists and long texts grow fast. */
function useBudget(ink: FillContext, size: number): void {
  ink.left -= size;
  if (ink.left < 0)
    throw failedPrecondition(
      `the template of the reply makes more than ${BUDGET / VALUE_COST} values, or too much text`,
    );
}

function fillValue(at: unknown, ink: FillContext): unknown {
  useBudget(ink, VALUE_COST);
  if (typeof at === 'string') return fillText(at, ink);
  if (Array.isArray(at)) return at.map((each) => fillValue(each, ink));
  if (!isObject(at)) return at;
  return fillObject(at, ink);
}

/** A placeholder of faker. The search for its end stops at the next start, so that the cost is linear. */
const PLACEHOLDER = /\{\{[a-z](?:(?!\{\{)[^])*?\}\}/g;
const LONGEST_PLACEHOLDER = 500;
/** In these placeholders a large number is not a length. */
const OF_NUMBERS = /^\{\{(?:number|date|location|commerce|finance\.amount)\b/;
const LARGEST_NUMBER = 1000;

function fillText(text: string, ink: FillContext): string {
  const { faker } = ink;
  const dated = text.replaceAll(DATE, (_, when: 'recent' | 'past' | 'soon' | 'future') =>
    faker.date[when]().toISOString(),
  );
  const filled = dated.replaceAll(PLACEHOLDER, (placeholder) => {
    const own = ownPlaceholder(placeholder, ink);
    if (own !== undefined) return own;
    refuseLarge(placeholder);
    const made = faker.helpers.fake(placeholder);
    useBudget(ink, VALUE_COST + made.length);
    return made;
  });
  useBudget(ink, filled.length);
  return filled;
}

/** The value of `{{param.name}}`, `{{record.number}}` or `{{record.in}}`. Faker does not read it again. */
function ownPlaceholder(placeholder: string, { params, made }: FillContext): string | undefined {
  const [, kind, name = ''] = /^\{\{(param|record)\.(\w+)\}\}$/.exec(placeholder) ?? [];
  if (kind === 'param') return plainText(params[name]);
  if (kind === 'record') return String(name === 'in' ? made?.group : made?.number);
  return undefined;
}

/** Throws for a placeholder with a huge length, such as `{{string.alpha(20000000)}}`. */
function refuseLarge(placeholder: string): void {
  const bare = placeholder.includes('fromRegExp') ? placeholder : placeholder.replace(/"[^"]*"/g, '');
  const numbers = OF_NUMBERS.test(placeholder) ? [] : (bare.match(/\d+/g) ?? []);
  const isLarge = numbers.some((number) => Number(number) > LARGEST_NUMBER);
  if (!isLarge && placeholder.length <= LONGEST_PLACEHOLDER) return;
  const shown = placeholder.slice(0, 100);
  throw failedPrecondition(`the template of the reply is too large: ${shown}; at most ${LARGEST_NUMBER}`);
}

function fillObject(at: Record<string, unknown>, ink: FillContext): unknown {
  const done = runDirective(at, ink.filler);
  if (done) return done.value;
  if ('$param' in at) return ink.params[String(at['$param'])] ?? fillValue(at['default'] ?? null, ink);
  if ('$number' in at) return ink.made?.number ?? null;
  if ('$now' in at) return timeAs(String(at['$now']), ink.now);
  if ('$int' in at) return drawInteger(at['$int'], ink.faker);
  if ('$bool' in at) return ink.faker.datatype.boolean();
  if ('$length' in at) return lengthOf(fillValue(at['$length'], ink));
  if ('$count' in at) return countOf(fillValue(at['$count'], ink));
  if ('$repeat' in at)
    return Array.from({ length: countOf(fillValue(at['$repeat'], ink)) }, () => fillValue(at['of'], ink));
  return Object.fromEntries(Object.entries(at).map(([name, member]) => [name, fillValue(member, ink)]));
}

const lengthOf = (value: unknown): number => (Array.isArray(value) ? value.length : 0);

/** Providers write times in three ways: `iso`, `seconds`, and `milliseconds` as a text. */
function timeAs(form: string, now: number): unknown {
  if (form === 'seconds') return Math.floor(now / 1000);
  return form === 'milliseconds' ? String(now) : new Date(now).toISOString();
}

function drawInteger(range: unknown, faker: Faker): number {
  const [min = 0, max = 100] = Array.isArray(range) ? range.map(Number) : [];
  return faker.number.int({ min, max });
}

const MOST_REPEATED = 100;

const countOf = (wanted: unknown) => Math.max(0, Math.min(MOST_REPEATED, Math.floor(Number(wanted)) || 0));
