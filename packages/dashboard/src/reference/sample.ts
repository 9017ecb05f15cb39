import type { MediaPart, ParameterPart, ReferenceOperation, SchemaPart } from '../server/reference/shapes.ts';
import { plainText } from '@understudy/text/json';
import { variablesOf } from './contract.ts';

/** A call of an operation as an example shows it, or as the reader has filled it in. */
export interface Sample {
  method: string;
  /** Path and query. */
  target: string;
  /** Of the body; undefined: there is no body. */
  type: string | undefined;
  body: string | undefined;
}

/** Values by the names of parameters; empty texts are left out of the query. */
export type Given = Readonly<Record<string, string>>;

/** What the reader may fill in: the parameters but for headers that only proxies send, and cookies. */
export const fillable = ({ parameters }: ReferenceOperation): ParameterPart[] =>
  parameters.filter(({ in: place }) => place === 'path' || place === 'query');

/** The first media type of the body. */
export function bodyOf({ body }: ReferenceOperation): { type: string; media: MediaPart } | undefined {
  const [first] = Object.entries(body?.content ?? {});
  return first && { type: first[0], media: first[1] };
}

/** The examples of a media type, by name. */
export function examplesOf({ example, examples = {} }: MediaPart): Record<string, unknown> {
  const named = Object.entries(examples).map(([name, { value }]) => [name, value] as const);
  return Object.fromEntries(example === undefined ? named : [['example', example] as const, ...named]);
}

/** The values that a parameter may have. A boolean takes many spellings: two are enough. */
export function choicesOf({ enum: words = [] }: SchemaPart): string[] {
  if (words.includes(true)) return ['true', 'false'];
  return words.filter((each) => each !== null).map(String);
}

/** The text of a field for a body. */
export const bodyText = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value, null, 2);

export function parameterSample({ example, schema = {} }: ParameterPart): string | undefined {
  const [first] = schema.examples ?? [];
  const value = example ?? schema.example ?? first;
  return value === undefined ? undefined : plainText(value);
}

/** A call of the control API names its environment. */
const addressOf = ({ addresses }: ReferenceOperation) =>
  addresses.find(({ path }) => path.includes('{environment}')) ?? addresses[0]!;

/** The call with these values. A path variable without a value stays as `{name}`. */
export function sampleOf(operation: ReferenceOperation, given: Given, body: string | undefined): Sample {
  const { method, path } = addressOf(operation);
  let filled = path;
  for (const name of variablesOf(path)) {
    const value = given[name];
    if (value) filled = filled.replace(new RegExp(`\\{(\\*\\*)?${name}\\}`), () => encodeURIComponent(value));
  }
  const query = new URLSearchParams();
  for (const { name, in: place, schema } of operation.parameters) {
    const value = place === 'query' ? given[name] : undefined;
    if (!value) continue;
    const isList = [schema?.type].flat().includes('array');
    for (const each of isList ? value.split(',') : [value]) query.append(name, each.trim());
  }
  const target = query.size > 0 ? `${filled}?${query}` : filled;
  const type = bodyOf(operation)?.type;
  return body === undefined || type === undefined
    ? { method, target, type: undefined, body: undefined }
    : { method, target, type, body: encoded(type, body) };
}

/** The members of a form are written as JSON. */
function encoded(type: string, body: string): string {
  if (!type.startsWith('application/x-www-form-urlencoded')) return body;
  try {
    const members = Object.entries(JSON.parse(body) as object);
    return new URLSearchParams(members.map(([name, value]) => [name, plainText(value)])).toString();
  } catch {
    return body;
  }
}
