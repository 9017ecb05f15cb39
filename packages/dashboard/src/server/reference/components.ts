import { isObject } from '@understudy/text/json';
import type { BodyPart, SchemaPart } from './shapes.ts';

export type Components = Record<string, Record<string, unknown> | undefined>;

const SCHEMA = '#/components/schemas/';
/** Members that hold values rather than schemas. */
const VALUES = new Set(['example', 'examples', 'default', 'enum', 'const']);

/** The components of one document. References to schemas stay, others are replaced by what they lead to. */
export class ComponentsOf {
  readonly #components: Components;
  readonly #outlines = new Map<string, Outline>();

  constructor(components: Components) {
    this.#components = components;
  }

  resolve<T extends object>(part: T): T {
    const { $ref } = part as { $ref?: string };
    if ($ref === undefined || $ref.startsWith(SCHEMA)) return part;
    const [, , kind = '', name = ''] = $ref.split('/');
    return this.resolve(this.#components[kind]?.[name] as T);
  }

  body(given: BodyPart): BodyPart {
    const body = this.resolve(given);
    if (!body.content) return body;
    const content = Object.entries(body.content).map(([type, { examples, ...media }]) => {
      const resolved = Object.entries(examples ?? {}).map(([name, each]) => [name, this.resolve(each)]);
      return [type, examples ? { ...media, examples: Object.fromEntries(resolved) } : media];
    });
    return { ...body, content: Object.fromEntries(content) };
  }

  /** Every schema that the parts lead to, by name. */
  schemasFor(parts: readonly unknown[]): Record<string, SchemaPart> {
    const found: Record<string, SchemaPart> = {};
    walk(parts, ({ $ref }) => {
      const name = $ref?.startsWith(SCHEMA) ? $ref.slice(SCHEMA.length) : undefined;
      const schemas = this.#components['schemas'] ?? {};
      if (name === undefined || Object.hasOwn(found, name) || !Object.hasOwn(schemas, name)) return undefined;
      return (found[name] = schemas[name] as SchemaPart);
    });
    return found;
  }

  /** The names of all properties of the bodies, and of the schemas that they lead to. */
  fieldsOf(bodies: readonly (BodyPart | undefined)[]): string[] {
    const names = new Set<string>();
    const seen = new Set<string>();
    const queue = [outlineOf(bodies.map((each) => each && this.body(each)))];
    for (let outline = queue.pop(); outline; outline = queue.pop()) {
      for (const name of outline.fields) names.add(name);
      for (const name of outline.schemas)
        if (!seen.has(name)) {
          seen.add(name);
          queue.push(this.#outline(name));
        }
    }
    return [...names];
  }

  /** Many operations lead to the same schemas, so each is read once. */
  #outline(name: string): Outline {
    const known = this.#outlines.get(name) ?? outlineOf([this.#components['schemas']?.[name]]);
    this.#outlines.set(name, known);
    return known;
  }
}

/** The names of the properties of a part, and of the schemas that it refers to. */
interface Outline {
  fields: Set<string>;
  schemas: Set<string>;
}

function outlineOf(parts: readonly unknown[]): Outline {
  const outline: Outline = { fields: new Set(), schemas: new Set() };
  walk(parts, ({ $ref, properties }) => {
    if ($ref?.startsWith(SCHEMA)) outline.schemas.add($ref.slice(SCHEMA.length));
    for (const name of Object.keys(properties ?? {})) outline.fields.add(name);
    return undefined;
  });
  return outline;
}

/** Calls `visit` for each object of the parts, and for what it returns; values are left out. */
function walk(parts: readonly unknown[], visit: (part: SchemaPart) => unknown): void {
  const queue = [...parts];
  while (queue.length > 0) {
    const part = queue.pop();
    if (Array.isArray(part)) queue.push(...(part as unknown[]));
    else if (isObject(part)) {
      queue.push(visit(part));
      // A property may have the name of a member that holds values.
      const { properties, ...others } = part as SchemaPart;
      queue.push(...Object.values(properties ?? {}));
      for (const [name, each] of Object.entries(others)) if (!VALUES.has(name)) queue.push(each);
    }
  }
}
