import type { Attribute, Attributes, Resource, ResourceType } from './attributes.ts';
import type { Comparison, Filter } from './filter.ts';
import { attributeOf, resolvePath, subAttributeOf, type Target } from './path.ts';
import { refusal } from './refusal.ts';

type Matches = (value: Resource) => boolean;

/** Whether resources fit a filter. Throws `invalidFilter` for attributes that the type lacks. */
export const resourceMatcher = (type: ResourceType, filter: Filter): Matches =>
  matcher(filter, {
    lower: lowered(),
    resolve: (path) => resolvePath(type, path, 'invalidFilter'),
  });

/** Whether single values of an attribute fit a filter. */
export const valueMatcher = (members: Attributes, filter: Filter, lower = lowered()): Matches =>
  matcher(filter, {
    lower,
    resolve(path) {
      const [name = '', sub] = path.split('.');
      const attribute = attributeOf(members, name, 'invalidFilter');
      return {
        attribute,
        ...(sub !== undefined && { sub: subAttributeOf(attribute, sub, 'invalidFilter') }),
      };
    },
  });

interface Reading {
  resolve: (path: string) => Target;
  lower: Lower;
}

type Lower = (text: string) => string;

const LONG = 256;
const MOST_KNOWN = 200;

/** Texts in lower case. A long text costs more than its comparison, and a filter may compare it a hundred times. */
function lowered(): Lower {
  const known = new Map<string, string>();
  return (text) => {
    const isLong = text.length >= LONG;
    const found = isLong ? known.get(text) : undefined;
    if (found !== undefined) return found;
    if (known.size >= MOST_KNOWN) known.clear();
    // In one place only: an optimizing compiler joins two, and then runs them before the look-up.
    const lower = text.toLowerCase();
    if (isLong) known.set(text, lower);
    return lower;
  };
}

function matcher(filter: Filter, reading: Reading): Matches {
  switch (filter.kind) {
    case 'and': {
      const parts = filter.parts.map((part) => matcher(part, reading));
      return (value) => parts.every((matches) => matches(value));
    }
    case 'or': {
      const parts = filter.parts.map((part) => matcher(part, reading));
      return (value) => parts.some((matches) => matches(value));
    }
    case 'not': {
      const matches = matcher(filter.part, reading);
      return (value) => !matches(value);
    }
    case 'some':
      return someMatcher(filter.path, filter.part, reading);
    case 'present': {
      const target = reading.resolve(filter.path);
      return (value) => valuesAt(target, value).some(isFilled);
    }
    default:
      return comparisonMatcher(filter, reading);
  }
}

function someMatcher(path: string, part: Filter, { resolve, lower }: Reading): Matches {
  const target = resolve(path);
  const members = target.attribute?.sub;
  if (!members || target.sub || target.filter)
    throw refusal('invalidFilter', `${path} has no values with parts, so it takes no filter in brackets`);
  const matches = valueMatcher(members, part, lower);
  return (value) => valuesAt(target, value).some((each) => matches(each as Resource));
}

type Compare = Extract<Filter, { kind: 'compare' }>;

function comparisonMatcher(
  { path, comparison, value: wanted }: Compare,
  { resolve, lower }: Reading,
): Matches {
  const found = resolve(path);
  const target = withValue(found);
  const attribute = target.sub ?? target.attribute;
  if (!attribute || attribute.type === 'complex' || target.filter)
    throw refusal('invalidFilter', `${path} has parts; compare one of them, such as ${path}.value`);
  if (wanted === null) return (value) => (valuesAt(target, value).length === 0) === (comparison === 'eq');
  const compare = comparer(attribute, lower, { comparison, wanted });
  if (comparison === 'ne') return (value) => valuesAt(target, value).every(compare);
  return (value) => valuesAt(target, value).some(compare);
}

/** `emails co "@acme"` compares the values of the e-mail addresses (RFC 7644 3.4.2.2). */
function withValue(target: Target): Target {
  if (target.sub || !target.attribute?.sub) return target;
  return { ...target, sub: target.attribute.sub.find('value') };
}

function valuesAt({ extension, attribute, sub }: Target, resource: Resource): unknown[] {
  const holder = extension ? (resource[extension.id] as Resource | undefined) : resource;
  if (!attribute) return holder === undefined ? [] : [holder];
  const values = listed(holder?.[attribute.name]);
  if (!sub) return values;
  return values.map((value) => (value as Resource)[sub.name]).filter((value) => value !== undefined);
}

function listed(value: unknown): unknown[] {
  if (value === undefined) return [];
  return Array.isArray(value) ? (value as unknown[]) : [value];
}

const isFilled = (value: unknown): boolean =>
  value !== '' && (typeof value !== 'object' || Object.keys(value as object).length > 0);

const ORDERS: ReadonlySet<Comparison> = new Set(['gt', 'ge', 'lt', 'le']);

function comparer(
  attribute: Attribute,
  lower: Lower,
  { comparison, wanted }: { comparison: Comparison; wanted: string | number | boolean },
) {
  const { name, type } = attribute;
  if (ORDERS.has(comparison) && (type === 'boolean' || type === 'binary'))
    throw refusal('invalidFilter', `${comparison} compares no ${type}, and ${name} is one`);
  const comparable = comparableOf(attribute, lower);
  const isText = type !== 'boolean' && typeof wanted === 'number';
  const other = comparable(isText ? String(wanted) : wanted);
  const fits = TESTS[comparison];
  return (value: unknown): boolean => {
    const own = comparable(value);
    return typeof own === typeof other ? fits(own, other) : comparison === 'ne';
  };
}

type Comparable = string | number | boolean;

/** Texts without letter case unless it counts, times as numbers. Entra ID writes booleans as texts. */
function comparableOf({ type, caseExact }: Attribute, lower: Lower): (value: unknown) => Comparable {
  if (type === 'dateTime') return (value) => (typeof value === 'string' ? Date.parse(value) : String(value));
  if (type === 'boolean')
    return (value) => (typeof value === 'string' ? value.toLowerCase() === 'true' : (value as boolean));
  if (caseExact) return (value) => value as Comparable;
  return (value) => (typeof value === 'string' ? lower(value) : (value as Comparable));
}

const TESTS: Readonly<Record<Comparison, (own: Comparable, other: Comparable) => boolean>> = {
  eq: (own, other) => own === other,
  ne: (own, other) => own !== other,
  co: (own, other) => String(own).includes(String(other)),
  sw: (own, other) => String(own).startsWith(String(other)),
  ew: (own, other) => String(own).endsWith(String(other)),
  gt: (own, other) => own > other,
  ge: (own, other) => own >= other,
  lt: (own, other) => own < other,
  le: (own, other) => own <= other,
};

/** The texts and numbers that a list is sorted by; undefined for a resource without the attribute. */
export function sortKey(type: ResourceType, path: string): (resource: Resource) => Comparable | undefined {
  const target = withValue(resolvePath(type, path, 'invalidValue'));
  const attribute = target.sub ?? target.attribute;
  if (!attribute || attribute.type === 'complex' || target.filter)
    throw refusal('invalidValue', `sortBy: ${path} is no single value`);
  const comparable = comparableOf(attribute, lowered());
  return (resource) => {
    const values = valuesAt(target, resource);
    return values.length === 0 ? undefined : comparable(primaryOf(values, target, resource));
  };
}

/** Of several values the primary one counts, or the first (RFC 7644 3.4.2.3). */
function primaryOf(values: readonly unknown[], { extension, attribute, sub }: Target, resource: Resource) {
  if (!attribute?.multiValued || !sub || extension) return values[0];
  const primary = (resource[attribute.name] as Resource[]).find((value) => value['primary'] === true);
  return primary?.[sub.name] ?? values[0];
}
