import { isObject } from '@understudy/text/json';

type Scalar = string | number;

/** By which members a list is sorted, such as `create_time desc`. Undefined: it is too short to show an order. */
export function ordersOf(list: readonly unknown[]): string[] | undefined {
  const items = list.filter(isObject);
  const [first] = items;
  if (!first || items.length < 2 || items.length < list.length) return undefined;
  return Object.keys(first)
    .filter((name) => /^\w{1,60}$/.test(name))
    .flatMap((name) => {
      const direction = directionOf(items.map((item) => item[name]));
      return direction === undefined ? [] : [`${name} ${direction}`];
    });
}

/** Undefined for values in no order, for equal ones, and for values that cannot be compared. */
function directionOf(values: readonly unknown[]): 'asc' | 'desc' | undefined {
  if (!values.every(isScalar)) return undefined;
  const steps = values.slice(1).map((value, i) => compare(values[i]!, value));
  if (steps.every((step) => step === 0)) return undefined;
  if (steps.every((step) => step <= 0)) return 'asc';
  return steps.every((step) => step >= 0) ? 'desc' : undefined;
}

const isScalar = (value: unknown): value is Scalar => typeof value === 'string' || typeof value === 'number';

/** Ids that end in numbers of different lengths compare as numbers. */
function compare(a: Scalar, b: Scalar): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  const [one, other] = [String(a), String(b)];
  const isNumbered =
    /\d$/.test(one) && /\d$/.test(other) && /^[a-z]*_?\d+$/.test(one) && /^[a-z]*_?\d+$/.test(other);
  if (isNumbered && one.length !== other.length) return one.length - other.length;
  return one < other ? -1 : one > other ? 1 : 0;
}
