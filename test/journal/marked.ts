/** The value of every marked field. No other field of a call has it. */
export const PLANTED = 'planted4secret';

type Verb = 'get' | 'put' | 'post' | 'delete' | 'patch';
const VERBS: readonly Verb[] = ['get', 'put', 'post', 'delete', 'patch'];

interface Schema {
  $ref?: string;
  'x-secret'?: boolean;
  type?: string | string[];
  properties?: Record<string, Schema>;
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
}

interface Parameter {
  $ref?: string;
  name: string;
  in: string;
  'x-secret'?: boolean;
}

interface Message {
  $ref?: string;
  content?: Record<string, { schema: Schema }>;
}

interface Operation {
  operationId: string;
  parameters?: Parameter[];
  requestBody?: Message;
  responses: Record<string, Message>;
  'x-open'?: boolean;
}

export interface Document {
  paths: Record<string, Partial<Record<Verb, Operation>> & { parameters?: Parameter[] }>;
  components: { schemas: Record<string, Schema> };
}

/** An operation whose request or response has marked fields, each with the value `PLANTED`. */
export interface MarkedOperation {
  id: string;
  verb: Verb;
  path: string;
  status: number;
  mediaType: string | undefined;
  query: Record<string, string>;
  body: unknown;
  /** True when the request has a marked field. */
  isSent: boolean;
  answer: unknown;
}

/** Finds the fields of a served document that are marked as secret. */
export class MarkedFields {
  readonly #document: Document;

  constructor(document: Document) {
    this.#document = document;
  }

  operations(): MarkedOperation[] {
    return Object.entries(this.#document.paths).flatMap(([path, item]) =>
      VERBS.flatMap((verb) => {
        const operation = item[verb];
        if (!operation || operation['x-open']) return [];
        const parameters = [...(item.parameters ?? []), ...(operation.parameters ?? [])];
        return [
          this.#operation(
            path,
            verb,
            operation,
            parameters.map((each) => this.#resolve(each)),
          ),
        ];
      }),
    );
  }

  /** A row of each collection that has marked fields, with only those fields. */
  rows(): { collection: string; row: Record<string, unknown> }[] {
    const collections = Object.entries(this.#document.components.schemas['State']!.properties!);
    return collections.flatMap(([collection, { items }]) => {
      const row = this.#plant(items!);
      return row === undefined ? [] : [{ collection, row: row as Record<string, unknown> }];
    });
  }

  #operation(path: string, verb: Verb, operation: Operation, parameters: Parameter[]): MarkedOperation {
    const named = (place: string) => parameters.filter((each) => each.in === place && each['x-secret']);
    const [mediaType, { schema = {} } = {}] = Object.entries(this.#content(operation.requestBody))[0] ?? [];
    const [status, answer] = Object.entries(operation.responses).find(([each]) => Number(each) < 300) ?? [];
    const body = this.#plant(schema);
    return {
      id: operation.operationId.replace(/\d$/, ''),
      verb,
      path: path.replaceAll(/\{([^}]+)\}/g, (_, name) =>
        named('path').some((each) => each.name === name) ? PLANTED : 'x_1',
      ),
      status: Number(status ?? 200),
      mediaType,
      query: Object.fromEntries(named('query').map(({ name }) => [name, PLANTED])),
      body,
      isSent: body !== undefined || named('query').length + named('path').length > 0,
      answer: this.#plant(this.#content(answer)['application/json']?.schema ?? {}),
    };
  }

  #content(message: Message | undefined) {
    return (message && this.#resolve(message).content) ?? {};
  }

  /** The smallest value that has all marked fields; undefined when there are none. */
  #plant(written: Schema, around: readonly Schema[] = []): unknown {
    const schema = this.#resolve(written);
    const type = [schema.type].flat();
    if (written['x-secret'] ?? schema['x-secret'])
      return type.includes('object') ? { any: PLANTED } : PLANTED;
    if (around.includes(schema)) return undefined;
    const inner = (each: Schema) => this.#plant(each, [...around, schema]);
    const item = schema.items && inner(schema.items);
    if (item !== undefined) return [item];
    const parts = [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])];
    const members = Object.entries(schema.properties ?? {}).map(
      ([name, each]) => [name, inner(each)] as const,
    );
    const planted = Object.assign({}, ...parts.map(inner), definedOf(members)) as object;
    return Object.keys(planted).length > 0 ? planted : undefined;
  }

  #resolve<T extends { $ref?: string }>(written: T): T {
    if (written.$ref === undefined) return written;
    const steps = written.$ref.slice(2).split('/');
    return steps.reduce<unknown>((at, step) => (at as Record<string, unknown>)[step], this.#document) as T;
  }
}

const definedOf = (members: readonly (readonly [string, unknown])[]) =>
  Object.fromEntries(members.filter(([, value]) => value !== undefined));
