import { Faker, base, en } from '@faker-js/faker';
import type { Env } from '../../environment/env.ts';
import { failedPrecondition } from '../../errors.ts';
import { isObject } from '../../text/json.ts';

export type Params = Readonly<Record<string, unknown>>;

/** Faker would write dates in the machine's own format and time zone. */
const DATE = /\{\{date\.(recent|past|soon|future)\}\}/g;

/**
 * What a tool answers, from its template: `{{…}}` in texts is faker's, `{"$param": name, "default": …}` a param of the
 * call, `{"$int": [min, max]}` and `{"$bool": true}` are drawn, `{"$repeat": count, "of": …}` makes a list and
 * `{"$count": count}` says how long one of that count is. The same environment and call give the same answer.
 */
export function fillTemplate(template: unknown, params: Params, env: Env): Record<string, unknown> {
  const filled = fillAny(template, params, env);
  return isObject(filled) ? filled : { result: filled };
}

/** As `fillTemplate`, but what comes of it may be no object. */
export function fillAny(template: unknown, params: Params, env: Env): unknown {
  const faker = new Faker({ locale: [en, base], seed: env.draw.integer() });
  faker.setDefaultRefDate(new Date(env.clock.ms));
  return fill(template, { faker, params, left: LARGEST });
}

interface Ink {
  faker: Faker;
  params: Params;
  /** What the answer may still have: its characters, and ten for each value. */
  left: number;
}

const LARGEST = 1_000_000;
const VALUE = 10;

/** Lists in lists, and texts of any length, grow fast. */
function spend(ink: Ink, size: number): void {
  ink.left -= size;
  if (ink.left < 0)
    throw failedPrecondition(
      `the template of the answer makes more than ${LARGEST / VALUE} values, or too much text`,
    );
}

function fill(at: unknown, ink: Ink): unknown {
  spend(ink, VALUE);
  if (typeof at === 'string') return fillText(at, ink);
  if (Array.isArray(at)) return at.map((each) => fill(each, ink));
  if (!isObject(at)) return at;
  return fillObject(at, ink);
}

/** One of faker's own. */
const PLACEHOLDER = /\{\{[a-z][^]*?\}\}/g;
const LONGEST_PLACEHOLDER = 500;
/** In these, a large number is no length. */
const OF_NUMBERS = /^\{\{(?:number|date|location|commerce|finance\.amount)\b/;
const LARGEST_NUMBER = 1000;

function fillText(text: string, ink: Ink): string {
  const { faker } = ink;
  const dated = text.replaceAll(DATE, (_, when: 'recent' | 'past' | 'soon' | 'future') =>
    faker.date[when]().toISOString(),
  );
  const filled = dated.replaceAll(PLACEHOLDER, (placeholder) => {
    refuseLarge(placeholder);
    const made = faker.helpers.fake(placeholder);
    spend(ink, VALUE + made.length);
    return made;
  });
  spend(ink, filled.length);
  return filled;
}

/** Throws for one that asks for a text of any length, such as `{{string.alpha(20000000)}}`. */
function refuseLarge(placeholder: string): void {
  const bare = placeholder.includes('fromRegExp') ? placeholder : placeholder.replace(/"[^"]*"/g, '');
  const numbers = OF_NUMBERS.test(placeholder) ? [] : (bare.match(/\d+/g) ?? []);
  const isLarge = numbers.some((number) => Number(number) > LARGEST_NUMBER);
  if (!isLarge && placeholder.length <= LONGEST_PLACEHOLDER) return;
  const shown = placeholder.slice(0, 100);
  throw failedPrecondition(
    `the template of the answer asks for too much: ${shown}; at most ${LARGEST_NUMBER}`,
  );
}

function fillObject(at: Record<string, unknown>, ink: Ink): unknown {
  if ('$param' in at) return ink.params[String(at['$param'])] ?? fill(at['default'] ?? null, ink);
  if ('$int' in at) return drawInteger(at['$int'], ink.faker);
  if ('$bool' in at) return ink.faker.datatype.boolean();
  if ('$count' in at) return countOf(fill(at['$count'], ink));
  if ('$repeat' in at)
    return Array.from({ length: countOf(fill(at['$repeat'], ink)) }, () => fill(at['of'], ink));
  return Object.fromEntries(Object.entries(at).map(([name, member]) => [name, fill(member, ink)]));
}

function drawInteger(range: unknown, faker: Faker): number {
  const [min = 0, max = 100] = Array.isArray(range) ? range.map(Number) : [];
  return faker.number.int({ min, max });
}

const MOST_REPEATED = 100;

const countOf = (wanted: unknown) => Math.max(0, Math.min(MOST_REPEATED, Math.floor(Number(wanted)) || 0));
