import { Document, isMap, isPair, visit } from 'yaml';
import { FileError, readRegularFile } from '@understudy/text/files';
import { valueOfYaml } from '@understudy/core/scenarios/yaml-text';
import { isObject } from '@understudy/text/json';
import { writeWhole } from './recording.ts';

/** What a recording shows about a service, without a value of anybody: it can be committed. */
export interface Shape {
  format: 1;
  /** By operation, or by `METHOD path` where our contract has none; then by status (`statusOf`). */
  operations: Record<string, Record<string, AnswerShape>>;
  /** Webhooks by the type of their event. */
  events: Record<string, AnswerShape>;
}

/** The answers of one operation with one status, or the events of one type. */
export interface AnswerShape {
  examples: number;
  /** In how many examples each header was. */
  headers: Record<string, number>;
  /** How often each error code was answered. */
  errors?: Record<string, number>;
  /** By path, such as `organizations[].id`. The whole body is `.`. */
  fields: Record<string, FieldShape>;
}

export interface FieldShape {
  /** How often it was there. `presenceOf` says in how many parents it could have been. */
  present: number;
  /** Of `array`, `boolean`, `null`, `number`, `object` and `string`. */
  types: string[];
  /** How many of the values were objects: the parents of the fields below. */
  objects?: number;
  /** What its texts look like: `id org_`, `date-time`, `URL`, `text` and so on. */
  formats?: string[];
  /** Texts of a field that our contract calls an enum. */
  values?: string[];
  /** Lists of two or more different elements. */
  lists?: number;
  /** How many of these lists each order fits, such as `create_time desc`. */
  order?: Record<string, number>;
  /** The fewest and the most elements, by the `page_size` that was asked for; `unasked` without one. */
  lengths?: Record<string, [fewest: number, most: number]>;
}

export const ROOT = '.';

export const emptyShape = (): Shape => ({ format: 1, operations: {}, events: {} });

export const fieldBelow = (path: string, name: string): string => {
  if (!/^[^.[\]"\s]+$/.test(name)) return `${path === ROOT ? '' : path}[${JSON.stringify(name)}]`;
  return path === ROOT ? name : `${path}.${name}`;
};

export const itemBelow = (path: string): string => (path === ROOT ? '[]' : `${path}[]`);

const LAST_STEP = /(?:\[\]|\["(?:[^"\\]|\\.)*"\]|\.?[^.[\]]+)$/;

/** The path of the object or list that holds a field. */
export const parentOf = (path: string): string => path.replace(LAST_STEP, '') || ROOT;

/** In how many of its parents a field was. An element of a list is in each. */
export function presenceOf(
  { fields }: Pick<AnswerShape, 'fields'>,
  path: string,
): { in: number; of: number } {
  const present = fields[path]?.present ?? 0;
  if (path === ROOT || path.endsWith('[]')) return { in: present, of: present };
  return { in: present, of: fields[parentOf(path)]?.objects ?? 0 };
}

/** Neither the order of shapes nor their grouping matters. */
export function mergeShapes(one: Shape, other: Shape): Shape {
  return {
    format: 1,
    operations: joined(one.operations, other.operations, (a, b) => joined(a, b, mergeAnswers)),
    events: joined(one.events, other.events, mergeAnswers),
  };
}

function mergeAnswers(one: AnswerShape, other: AnswerShape): AnswerShape {
  return {
    examples: one.examples + other.examples,
    headers: joined(one.headers, other.headers, sum),
    ...optional('errors', one, other, (a, b) => joined(a, b, sum)),
    fields: joined(one.fields, other.fields, mergeFields),
  };
}

function mergeFields(one: FieldShape, other: FieldShape): FieldShape {
  return {
    present: one.present + other.present,
    types: union(one.types, other.types),
    ...optional('objects', one, other, sum),
    ...optional('formats', one, other, union),
    ...optional('values', one, other, union),
    ...optional('lists', one, other, sum),
    ...optional('order', one, other, (a, b) => joined(a, b, sum)),
    ...optional('lengths', one, other, (a, b) => joined(a, b, widest)),
  };
}

const sum = (a: number, b: number) => a + b;
const union = (a: readonly string[], b: readonly string[]) => [...new Set([...a, ...b])].toSorted();
const widest = (a: [number, number], b: [number, number]): [number, number] => [
  Math.min(a[0], b[0]),
  Math.max(a[1], b[1]),
];

function joined<T>(one: Record<string, T>, other: Record<string, T>, merge: (a: T, b: T) => T) {
  const names = union(Object.keys(one), Object.keys(other));
  const whole = new Map<string, T>();
  for (const name of names) {
    const [a, b] = [one, other].map((each) => (Object.hasOwn(each, name) ? each[name] : undefined));
    whole.set(name, a === undefined ? b! : b === undefined ? a : merge(a, b));
  }
  return Object.fromEntries(whole);
}

function optional<T, K extends keyof T & string>(
  name: K,
  one: T,
  other: T,
  merge: (a: NonNullable<T[K]>, b: NonNullable<T[K]>) => T[K],
): Partial<Record<K, T[K]>> {
  const [a, b] = [one[name], other[name]];
  if (a === undefined && b === undefined) return {};
  const value = a == null ? b : b == null ? a : merge(a, b);
  return { [name]: value } as Partial<Record<K, T[K]>>;
}

const HEADER = '# What a recording shows, without values. understudy drift compares it with Understudy.\n';

/** Equal shapes have equal bytes. Each field is one line. */
export function writeShape(file: string, shape: Shape): void {
  const document = new Document(mergeShapes(shape, emptyShape()), {
    sortMapEntries: byName,
    aliasDuplicateObjects: false,
  });
  visit(document, {
    Pair(_, { key, value }, above) {
      const outer = above.findLast(isPair);
      const isLine = ['headers', 'errors'].includes(String(key)) || String(outer?.key) === 'fields';
      if (isMap(value)) value.flow = isLine;
    },
  });
  writeWhole(file, HEADER + document.toString({ lineWidth: 0 }));
}

/** In the order of UTF-16, which does not depend on the machine's language. */
const byName = ({ key: a }: { key: unknown }, { key: b }: { key: unknown }) => {
  const [one, other] = [a, b].map(nameOf) as [string, string];
  return one < other ? -1 : one > other ? 1 : 0;
};

const nameOf = (key: unknown) => String(isObject(key) && 'value' in key ? key['value'] : key);

/** Throws FileError. */
export function readShape(file: string): Shape {
  let read: unknown;
  try {
    read = valueOfYaml(readRegularFile(file));
  } catch (thrown) {
    if (thrown instanceof FileError) throw thrown;
    throw new FileError(file, (thrown as Error).message);
  }
  if (!isObject(read) || !isObject(read['operations']) || !isObject(read['events']))
    throw new FileError(file, 'it is not a shape, which has operations and events');
  if (read['format'] !== 1)
    throw new FileError(
      file,
      `its format is ${JSON.stringify(read['format'])}, and this version of Understudy reads 1`,
    );
  const shape = read as unknown as Shape;
  const wrong = answersIn(shape).find(([, answer]) => !isAnswer(answer));
  if (wrong) throw new FileError(file, `${wrong[0]} is not the shape of an answer`);
  return shape;
}

const answersIn = ({ operations, events }: Shape): [string, unknown][] => [
  ...Object.entries(operations).flatMap(([operation, answers]) =>
    isObject(answers)
      ? Object.entries(answers).map(([status, each]): [string, unknown] => [`${operation} ${status}`, each])
      : [[operation, answers] as [string, unknown]],
  ),
  ...Object.entries(events),
];

const isAnswer = (value: unknown): boolean =>
  isObject(value) &&
  typeof value['examples'] === 'number' &&
  isObject(value['headers']) &&
  isObject(value['fields']) &&
  Object.values(value['fields']).every(
    (field) => isObject(field) && typeof field['present'] === 'number' && Array.isArray(field['types']),
  );
