import { isObject } from '@understudy/text/json';
import { FromControl, NONE, type AgentTool, type Schema } from './tool.ts';

interface Parameter {
  name: string;
  in: string;
  description?: string;
  required?: boolean;
  schema: Schema;
}

/** An operation of an OpenAPI document. */
export interface DescribedOperation {
  operationId: string;
  method: string;
  path: string;
  summary: string;
  description: string;
  tags: string[];
  parameters: Parameter[];
  requestBody?: { required?: boolean; content: Record<string, { schema: Schema; example?: unknown }> };
  responses: Record<string, Schema>;
}

const METHODS = new Set(['get', 'post', 'put', 'patch', 'delete', 'head', 'options']);

/** The operations of a document, with references to parameters resolved. */
export class ApiDocument {
  readonly operations: ReadonlyMap<string, DescribedOperation>;
  readonly #root: object;

  constructor(root: object) {
    this.#root = root;
    const { paths } = root as { paths: Record<string, Record<string, unknown>> };
    this.operations = new Map(
      Object.entries(paths).flatMap(([path, item]) =>
        Object.entries(item)
          .filter(([method]) => METHODS.has(method))
          .map(([method, operation]) => this.#read(method, path, operation as DescribedOperation, item)),
      ),
    );
  }

  #read(method: string, path: string, operation: DescribedOperation, item: object) {
    const shared = (item as { parameters?: Parameter[] }).parameters ?? [];
    const parameters = [...shared, ...(operation.parameters ?? [])].map((each) => this.#target(each));
    const read = { ...operation, method: method.toUpperCase(), path, parameters };
    return [operation.operationId, read as DescribedOperation] as const;
  }

  #target<T extends object>(value: T): T {
    const { $ref } = value as { $ref?: string };
    if ($ref === undefined) return value;
    const steps = $ref.slice(2).split('/');
    const found = steps.reduce<unknown>((at, step) => (at as Record<string, unknown>)[step], this.#root);
    const { $ref: _, ...beside } = value as Record<string, unknown>;
    return this.#target({ ...(found as T), ...beside });
  }

  /** The schema without references and without keywords of our own. A schema inside itself becomes `{}`. */
  inlined(schema: unknown, depth = 12, seen: readonly string[] = []): unknown {
    if (Array.isArray(schema)) return schema.map((each) => this.inlined(each, depth - 1, seen));
    if (!isObject(schema)) return schema;
    const { $ref } = schema as { $ref?: string };
    if (depth <= 0 || ($ref !== undefined && seen.includes($ref))) return {};
    const whole = this.#target(schema);
    const passed = $ref === undefined ? seen : [...seen, $ref];
    return Object.fromEntries(
      Object.entries(whole)
        .filter(([keyword]) => !keyword.startsWith('x-'))
        .map(([keyword, value]) => [keyword, this.inlined(value, depth - 1, passed)]),
    );
  }

  /** A body that may be absent is described as one of two schemas. */
  #properties(schema: Schema): Record<string, Schema> {
    const { properties = {}, anyOf = [] } = this.#target(schema) as {
      properties?: Record<string, Schema>;
      anyOf?: Schema[];
    };
    return Object.assign({}, properties, ...anyOf.map((each) => this.#properties(each))) as Record<
      string,
      Schema
    >;
  }

  /** The schema of a parameter, or of a member of the body, with its description. */
  member(operationId: string, name: string): Schema {
    const operation = this.operations.get(operationId);
    const parameter = operation?.parameters.find((each) => each.name === name);
    if (parameter) {
      const { description } = parameter;
      return { ...(this.inlined(parameter.schema) as Schema), ...(description && { description }) };
    }
    const [body] = Object.values(operation?.requestBody?.content ?? {});
    const schema = this.#properties(body?.schema ?? {})[name];
    if (!schema) throw new Error(`${operationId} has no ${name}`);
    return withoutNull(this.inlined(schema) as Schema);
  }
}

/** An argument that is not given is left out, so null needs no mention. */
function withoutNull({ anyOf, type, ...rest }: Schema): Schema {
  const choices = (anyOf as Schema[] | undefined)?.filter((each) => each['type'] !== 'null');
  const types = Array.isArray(type) ? type.filter((each) => each !== 'null') : type;
  return {
    ...(types !== undefined && { type: Array.isArray(types) && types.length === 1 ? types[0] : types }),
    ...(choices?.length === 1 ? choices[0] : choices && { anyOf: choices }),
    ...rest,
  };
}

const ENVIRONMENT = {
  type: 'string',
  description: 'The environment to work on. Without it, the one that this connection was made for.',
};

/** The schema of a tool's arguments. */
export function inputSchema(
  { input, required, ofEnvironment }: AgentTool,
  control: ApiDocument,
): Schema & { type: 'object' } {
  const properties = Object.entries(input).map(([name, given]) => [
    name,
    given instanceof FromControl
      ? { ...control.member(given.operation, given.member ?? name), ...given.overrides }
      : given,
  ]);
  return {
    type: 'object',
    properties: { ...Object.fromEntries(properties), ...(ofEnvironment && { environment: ENVIRONMENT }) },
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  };
}

/**
 * The schema as models read it. The list of tools takes part of a model's memory in each conversation, so it leaves out
 * what a refusal names anyway: limits, patterns, and the words that stand for true and false.
 */
export function shownSchema({ properties, required }: Schema): Schema & { type: 'object' } {
  const shown = Object.entries(properties as Record<string, Schema>).map(([name, property]) => [
    name,
    name === 'environment' ? { type: 'string' } : shownProperty(property),
  ]);
  return {
    type: 'object',
    properties: Object.fromEntries(shown),
    ...(required !== undefined && { required }),
  };
}

function shownProperty({ type, enum: words, items, description }: Schema): Schema {
  const isFlag = Array.isArray(words) && words.includes(true);
  return {
    ...(isFlag ? { type: 'boolean' } : type !== undefined && { type }),
    ...(!isFlag && words !== undefined && { enum: words }),
    ...(items !== undefined && { items }),
    ...(description !== NONE && { description }),
  };
}
