import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DialectName } from '../../src/contract/names.gen.ts';
import { PACKAGE_ROOT } from '@understudy/text/files';
import { withoutNull } from './json-types.ts';

/** The parts of a JSON Schema that the walk uses. */
interface Schema {
  $ref?: string;
  type?: 'string' | 'integer' | 'number' | 'boolean' | 'object' | 'array';
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  anyOf?: Schema[];
  additionalProperties?: boolean | Schema;
  propertyNames?: Schema;
  enum?: string[];
  pattern?: string;
  format?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  maxItems?: number;
  maxProperties?: number;
  uniqueItems?: boolean;
  'x-free-json'?: boolean;
  /** Members that the operation checks itself, with its own messages. */
  'x-own-rules'?: string[];
}

interface Parameter {
  $ref?: string;
  name: string;
  in: 'path' | 'query' | 'header' | 'cookie';
  required?: boolean;
  schema: Schema;
  'x-own-rules'?: string[];
}

type Content = Record<
  string,
  { schema: Schema; example?: unknown; examples?: Record<string, { value: unknown }> }
>;

interface WrittenOperation {
  operationId: string;
  parameters?: Parameter[];
  security?: object[];
  requestBody?: { $ref?: string; required?: boolean; content: Content };
  'x-body-field'?: string;
  'x-dialect': DialectName;
  'x-callers'?: string[];
}

type Verb = 'get' | 'put' | 'post' | 'delete' | 'patch';
const VERBS: readonly Verb[] = ['get', 'put', 'post', 'delete', 'patch'];

/** An operation of a served contract, with a valid request. */
export interface Documented {
  id: string;
  verb: Verb;
  template: string;
  path: string;
  secured: boolean;
  /** Whose calls are accepted; a client's if several are. */
  wants: 'client' | 'user' | 'portal';
  dialect: DialectName;
  mediaType: string | undefined;
  /** Undefined when the operation has no body. */
  body: unknown;
  wantsBody: boolean;
  /** Whether the body can be any JSON, so that no member is unknown. */
  free: boolean;
  /** The names of the body's members and of the query parameters. */
  members: string[];
  queries: string[];
  /** Requests that each break one rule of the contract. */
  broken: Broken[];
}

export interface Broken {
  rule: string;
  path: string;
  body: unknown;
  /** The field that `field_violations` must name. */
  field: string;
}

/** Bodies that are not valid JSON or that the service refuses to parse. */
export const MALFORMED: [string, string | Buffer][] = [
  ['a JSON text that ends too early', '{"display_name": "Acme'],
  ['a text that is not JSON', 'display_name: Acme'],
  ['a JSON text with a comma too many', '{"identifier": "ada",}'],
  ['a body that is not UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d])],
  ['a body that is nested a thousand levels deep', `{"params":${'['.repeat(1000)}${']'.repeat(1000)}}`],
  ['a body that is nested a hundred thousand levels deep', '['.repeat(100_000) + ']'.repeat(100_000)],
];

interface Place {
  schema: Schema;
  /** The path from the body to the value. */
  steps: readonly (string | number)[];
}

/** Reads the operations of a served contract with all ways to break their rules. */
export function operationsOf(name: 'openapi' | 'control'): Documented[] {
  const document = JSON.parse(readFileSync(join(PACKAGE_ROOT, 'dist', `${name}.json`), 'utf8'));
  const walk = new Walk(document);
  return Object.entries(document.paths as Record<string, Record<string, unknown>>).flatMap(([path, item]) =>
    VERBS.filter((verb) => item[verb] !== undefined).map((verb) =>
      walk.operation(
        path,
        verb,
        item[verb] as WrittenOperation,
        item['parameters'] as Parameter[] | undefined,
      ),
    ),
  );
}

const FORM = 'application/x-www-form-urlencoded';

class Walk {
  readonly #document: { security?: object[] };

  constructor(document: { security?: object[] }) {
    this.#document = document;
  }

  operation(template: string, verb: Verb, written: WrittenOperation, shared: Parameter[] = []): Documented {
    const parameters = [...shared, ...(written.parameters ?? [])].map((each) => this.#resolve(each));
    const requestBody = written.requestBody && this.#resolve(written.requestBody);
    const [mediaType, content] = Object.entries(requestBody?.content ?? {})[0] ?? [];
    const [first] = Object.values(content?.examples ?? {});
    const body = content && (content.example ?? first?.value ?? this.#sample(content.schema));
    const path = this.#path(template, parameters);
    const field = written['x-body-field'];
    const security = written.security ?? this.#document.security ?? [];
    return {
      id: written.operationId,
      verb,
      template,
      path,
      wants: wantedCaller(written['x-callers']),
      secured: security.length > 0 && security.every((each) => Object.keys(each).length > 0),
      dialect: written['x-dialect'],
      mediaType,
      body,
      wantsBody: requestBody?.required === true,
      free: content !== undefined && this.#resolve(content.schema)['x-free-json'] === true,
      members: Object.keys((content && this.#resolve(content.schema).properties) ?? {}),
      queries: parameters.filter((each) => each.in === 'query').map(({ name }) => name),
      broken: [
        ...this.#brokenParameters(template, parameters, body),
        ...(mediaType === 'application/json'
          ? this.#brokenBodies(content!.schema, body, path, field ? [field] : [])
          : []),
        ...(mediaType === FORM
          ? this.#brokenForms(content!.schema, body as Record<string, string>, path)
          : []),
      ],
    };
  }

  #resolve<T extends { $ref?: string }>(nullable: T): T {
    const written = withoutNull(nullable);
    if (written.$ref === undefined) return written;
    const steps = written.$ref.slice(2).split('/');
    const found = steps.reduce<unknown>((at, step) => (at as Record<string, unknown>)[step], this.#document);
    return this.#resolve(found as T);
  }

  #path(template: string, parameters: readonly Parameter[], overrides: Record<string, string> = {}): string {
    const values = new Map(parameters.map(({ name, schema }) => [name, String(this.#sample(schema))]));
    const path = template.replace(/\{([^}]+)\}/g, (_, name: string) =>
      encodeURIComponent(overrides[name] ?? (values.get(name) || 'x')),
    );
    const query = parameters.filter(
      (each) => each.in === 'query' && each.required && overrides[each.name] === undefined,
    );
    const pairs = query.map(({ name }): [string, string] => [name, values.get(name)!]);
    return pairs.length > 0 ? `${path}?${new URLSearchParams(pairs).toString()}` : path;
  }

  #brokenParameters(template: string, parameters: readonly Parameter[], body: unknown): Broken[] {
    // Only path and query parameters are broken here, not headers.
    return parameters
      .filter((each) => each.in === 'path' || each.in === 'query')
      .flatMap((parameter) => {
        const { name, schema } = parameter;
        const { type, items, maxItems = Infinity } = this.#resolve(schema);
        const broken = (rule: string, values: string[], field = name) => ({
          rule: `${parameter.in} ${name}: ${rule}`,
          path: this.#with(template, parameters, parameter, values),
          body,
          field,
        });
        const missing = parameter.in === 'query' && parameter.required ? [broken('missing', [])] : [];
        const isOwn = parameter['x-own-rules']?.includes(name);
        const bad = isOwn ? [] : this.#badTexts(this.#resolve(items ?? schema));
        const texts = bad.map(({ rule, value }) =>
          broken(rule, [value], type === 'array' ? `${name}[0]` : name),
        );
        const many =
          maxItems < Infinity
            ? [
                broken(
                  'too many',
                  Array.from({ length: maxItems + 1 }, (_, i) => `x${i}`),
                ),
              ]
            : [];
        return [...missing, ...texts, ...many];
      });
  }

  #with(
    template: string,
    parameters: readonly Parameter[],
    { name, in: place }: Parameter,
    values: string[],
  ): string {
    const path = this.#path(template, parameters, { [name]: values[0] ?? '' });
    if (place === 'path' || values.length === 0) return path;
    return `${path}${path.includes('?') ? '&' : '?'}${new URLSearchParams(values.map((value): [string, string] => [name, value])).toString()}`;
  }

  /** Texts that are not valid for the schema. */
  #badTexts(schema: Schema): { rule: string; value: string }[] {
    const { type, minimum, maximum } = schema;
    if (type === 'boolean') return [{ rule: 'no boolean', value: 'perhaps' }];
    if (type !== 'integer') {
      const bad = this.#badValues(schema).map(({ rule, value }) => ({ rule, value: value as string }));
      return bad.filter(({ value }) => typeof value === 'string' && value !== '');
    }
    return [
      { rule: 'no number', value: 'ten' },
      { rule: 'no whole number', value: '1.5' },
      ...(minimum === undefined ? [] : [{ rule: 'too small', value: String(minimum - 1) }]),
      ...(maximum === undefined ? [] : [{ rule: 'too large', value: String(maximum + 1) }]),
    ];
  }

  /** OAuth forbids repeated parameters (RFC 6749 3.2). Pages can have several checkboxes with one name. */
  #brokenForms(schema: Schema, body: Record<string, string>, path: string): Broken[] {
    const members = Object.entries(this.#resolve(schema).properties!);
    const single = members.filter(([, { anyOf = [] }]) => !anyOf.some(({ type }) => type === 'array'));
    return single.map(([name]) => ({
      rule: `${name}: given twice`,
      path,
      body: [...Object.entries(body).filter(([key]) => key !== name), [name, 'x'], [name, 'y']],
      field: name,
    }));
  }

  #brokenBodies(schema: Schema, body: unknown, path: string, root: readonly string[]): Broken[] {
    const whole = [[], 'text', 7, true].map((value) => ({
      rule: `body: ${JSON.stringify(value)} in place of an object`,
      path,
      body: value as unknown,
      field: root[0] ?? 'body',
    }));
    const parts = this.#places(schema, []).flatMap(({ schema: at, steps }) =>
      this.#badValues(at).map(({ rule, value, further = [] }) => ({
        rule: `${dotted(steps)}: ${rule}`,
        path,
        body: this.#put(body, schema, steps, value),
        field: dotted([...root, ...steps, ...further]),
      })),
    );
    return [...whole, ...parts, ...this.#incomplete(schema, body, path, root)];
  }

  /** Bodies that lack one required member. */
  #incomplete(schema: Schema, body: unknown, path: string, root: readonly string[]): Broken[] {
    const places = [
      { schema: this.#resolve(schema), steps: [] as readonly (string | number)[] },
      ...this.#places(schema, []),
    ];
    return places.flatMap(({ schema: at, steps }) =>
      wantedIn(at).map((name) => {
        const whole = this.#sample(at) as Record<string, unknown>;
        const { [name]: _, ...rest } = steps.length === 0 ? (body as Record<string, unknown>) : whole;
        return {
          rule: `${dotted([...steps, name])}: missing`,
          path,
          body: steps.length === 0 ? rest : this.#put(body, schema, steps, rest),
          field: dotted([...root, ...steps, name]),
        };
      }),
    );
  }

  /** All values that a body can contain, at any depth. */
  #places(written: Schema, steps: Place['steps']): Place[] {
    const schema = this.#resolve(written);
    const members = Object.entries(schema.properties ?? {})
      .filter(([name]) => !schema['x-own-rules']?.includes(name))
      .map(([name, member]) => [name, member] as const);
    const items = schema.items ? [[0, schema.items] as const] : [];
    const values =
      typeof schema.additionalProperties === 'object'
        ? [['some_key', schema.additionalProperties] as const]
        : [];
    return [...members, ...items, ...values].flatMap(([step, member]) => [
      { schema: this.#resolve(member), steps: [...steps, step] },
      ...this.#places(member, [...steps, step]),
    ]);
  }

  #badValues(schema: Schema): { rule: string; value: unknown; further?: (string | number)[] }[] {
    const {
      type,
      maxLength,
      minLength = 0,
      pattern,
      format,
      maxItems,
      maxProperties,
      propertyNames,
    } = schema;
    const bad: { rule: string; value: unknown; further?: (string | number)[] }[] = [];
    if (type !== undefined)
      bad.push({ rule: `no ${type}`, value: type === 'object' || type === 'array' ? 'text' : {} });
    if (type === 'string') bad.push({ rule: 'a number in place of a string', value: 7 });
    if (schema.enum) bad.push({ rule: 'unknown word', value: 'NO_SUCH_WORD' });
    if (minLength > 0) bad.push({ rule: 'too short', value: 'x'.repeat(minLength - 1) });
    if (maxLength !== undefined)
      bad.push({ rule: 'too long', value: String(this.#sample(schema)).padEnd(maxLength + 1, 'x') });
    if (pattern !== undefined) bad.push({ rule: 'against the pattern', value: '\u0001?' });
    if (format === 'email') bad.push({ rule: 'no e-mail address', value: 'ada at example' });
    if (format === 'uri') bad.push({ rule: 'no address', value: 'not an address' });
    if (format === 'date-time') bad.push({ rule: 'no time', value: 'yesterday' });
    if (schema.minimum !== undefined) bad.push({ rule: 'too small', value: schema.minimum - 1 });
    if (schema.maximum !== undefined) bad.push({ rule: 'too large', value: schema.maximum + 1 });
    if (maxItems !== undefined)
      bad.push({
        rule: 'too many',
        value: Array.from({ length: maxItems + 1 }, (_, i) => `${String(this.#sample(schema.items!))}${i}`),
      });
    if (schema.uniqueItems) bad.push({ rule: 'twice the same', value: ['same', 'same'] });
    if (maxProperties !== undefined)
      bad.push({ rule: 'too many pairs', value: this.#pairs(schema, maxProperties + 1) });
    const { minLength: shortest, maxLength: longest } = propertyNames ?? {};
    if (shortest !== undefined) {
      const key = 'k'.repeat(shortest - 1);
      bad.push({ rule: 'key too short', value: { [key]: 'value' }, further: [key] });
    }
    if (longest !== undefined) {
      const key = 'k'.repeat(longest + 1);
      bad.push({ rule: 'key too long', value: { [key]: 'value' }, further: [key] });
    }
    return bad;
  }

  #pairs(schema: Schema, count: number): Record<string, unknown> {
    const names = schema.properties
      ? Object.keys(schema.properties)
      : Array.from({ length: count }, (_, i) => `key_${i}`);
    return Object.fromEntries(
      names
        .slice(0, count)
        .map((name) => [name, schema.properties ? this.#sample(schema.properties[name]!) : 'value']),
    );
  }

  /** The body with the value at this path. */
  #put(body: unknown, written: Schema, steps: Place['steps'], value: unknown): unknown {
    const [step, ...rest] = steps;
    if (step === undefined) return value;
    const schema = this.#resolve(written);
    if (typeof step === 'number') return [this.#put(this.#sample(schema.items!), schema.items!, rest, value)];
    const single = schema.maxProperties === 1;
    const around = typeof body === 'object' && body !== null && !single ? body : {};
    const member = schema.properties?.[step] ?? (schema.additionalProperties as Schema);
    const before = (around as Record<string, unknown>)[step] ?? this.#sample(member);
    return { ...around, [step]: this.#put(before, member, rest, value) };
  }

  /** A minimal value that the schema accepts. */
  #sample(written: Schema): unknown {
    const schema = this.#resolve(written);
    const { type, pattern = '', minLength = 0 } = schema;
    if (schema.enum) return schema.enum[0];
    if (type === 'object') {
      return Object.fromEntries(
        (schema.required ?? []).map((name) => [name, this.#sample(schema.properties![name]!)]),
      );
    }
    if (type === 'array') return [];
    if (type === 'boolean') return true;
    if (type === 'integer' || type === 'number') return Math.max(schema.minimum ?? 1, 1);
    if (schema.format === 'email') return 'ada@example.com';
    if (schema.format === 'uri') return 'https://example.com';
    if (schema.format === 'date-time') return '2030-01-01T00:00:00Z';
    const prefix = /^\^([a-z0-9]+_?)/.exec(pattern)?.[1] ?? '';
    return `${prefix}${pattern.includes('ms|s|m') ? '5s' : ''}`.padEnd(
      Math.max(minLength, prefix.length + 1),
      pattern.includes('0-9') ? '1' : 'x',
    );
  }
}

/** The members that the contract requires. */
const wantedIn = ({ required = [], 'x-own-rules': own = [] }: Schema) =>
  required.filter((name) => !own.includes(name));

const MAPS =
  /(^|\.)(metadata|custom_attributes|template_variables|attribute_mapping|extra_authorize_params)$|^(token\.)?custom_claims$/;

/** The path of a field as the service writes it. */
function wantedCaller(callers: readonly string[] = ['client']): Documented['wants'] {
  return (['client', 'user', 'portal'] as const).find((each) => callers.includes(each)) ?? 'client';
}

const dotted = (steps: readonly (string | number)[]) =>
  steps.reduce<string>((text, step) => {
    if (MAPS.test(text)) return `${text}[${JSON.stringify(String(step))}]`;
    if (typeof step === 'number') return `${text}[${step}]`;
    return text === '' ? step : `${text}.${step}`;
  }, '');
