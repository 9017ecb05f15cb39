import { Faker, base, en } from '@faker-js/faker';
import type { World } from '../../world/world.ts';
import { isObject } from '../../json-object.ts';

export type Params = Readonly<Record<string, unknown>>;

/** Faker would write dates in the machine's own format and time zone. */
const DATE = /\{\{date\.(recent|past|soon|future)\}\}/g;

/**
 * What a tool answers, from its template: `{{…}}` in texts is faker's, `{"$param": name, "default": …}` a param of the
 * call, `{"$int": [min, max]}` and `{"$bool": true}` are drawn, `{"$repeat": count, "of": …}` makes a list and
 * `{"$count": count}` says how long one of that count is. The same world and call give the same answer.
 */
export function fillTemplate(template: unknown, params: Params, world: World): Record<string, unknown> {
  const filled = fillAny(template, params, world);
  return isObject(filled) ? filled : { result: filled };
}

/** As `fillTemplate`, but what comes of it may be no object. */
export function fillAny(template: unknown, params: Params, world: World): unknown {
  const faker = new Faker({ locale: [en, base], seed: world.draw.integer() });
  faker.setDefaultRefDate(new Date(world.clock.ms));
  return fill(template, { faker, params });
}

interface Ink {
  faker: Faker;
  params: Params;
}

function fill(at: unknown, ink: Ink): unknown {
  if (typeof at === 'string') return fillText(at, ink.faker);
  if (Array.isArray(at)) return at.map((each) => fill(each, ink));
  if (!isObject(at)) return at;
  return fillObject(at, ink);
}

function fillText(text: string, faker: Faker): string {
  const dated = text.replaceAll(DATE, (_, when: 'recent' | 'past' | 'soon' | 'future') =>
    faker.date[when]().toISOString(),
  );
  return dated.includes('{{') ? faker.helpers.fake(dated) : dated;
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
