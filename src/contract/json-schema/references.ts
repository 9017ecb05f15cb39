import { isObject } from '@understudy/text/json';
import type { Check, Part, Resource, Run } from './run.ts';
import { UnusableSchema } from './steps.ts';

/** The address of a schema without an id. */
const NO_ID = 'schema:/';
const DIALECT = 'https://json-schema.org/draft/';

type Schema = Readonly<Record<string, unknown>>;

/** The ids and anchors of a schema and its parts, and what its references mean. */
export class References {
  readonly #resources = new Map<string, Resource>();
  readonly #pending: (() => void)[] = [];
  readonly #partOf: (schema: unknown, resource: Resource) => Part;

  constructor(partOf: (schema: unknown, resource: Resource) => Part) {
    this.#partOf = partOf;
  }

  /** What references in the schema are relative to. */
  resourceOf(schema: Schema, outer: Resource | undefined): Resource {
    const { $id } = schema;
    if (outer && typeof $id !== 'string') return outer;
    const id = addressOf(typeof $id === 'string' ? $id : '', outer?.id ?? NO_ID).replace(/#$/, '');
    if (this.#resources.has(id) || id.startsWith(DIALECT))
      throw new UnusableSchema(`the id ${id} is that of another schema`);
    const resource: Resource = { id, root: schema, anchors: new Map(), dynamicAnchors: new Map() };
    this.#resources.set(id, resource);
    return resource;
  }

  /** Keeps the anchors of a part. */
  name(part: Part, { $anchor, $dynamicAnchor }: Schema): void {
    const { anchors, dynamicAnchors } = part.resource;
    for (const name of [$anchor, $dynamicAnchor]) {
      if (typeof name !== 'string') continue;
      if (anchors.has(name)) throw new UnusableSchema(`the anchor ${name} names several schemas`);
      anchors.set(name, part);
    }
    if (typeof $dynamicAnchor === 'string') dynamicAnchors.set($dynamicAnchor, part);
  }

  /** The part that a reference means is found when all ids are known. */
  follow(keyword: string, reference: string, from: Resource): Check {
    let found: Part | undefined;
    this.#pending.push(() => (found = this.#find(reference, from)));
    const [, name = ''] = reference.split('#');
    if (keyword !== '$dynamicRef') return (run, value, place) => void run.branch(found!, value, place);
    return (run, value, place) => {
      const isDynamic = found!.resource.dynamicAnchors.get(name) === found;
      const target = isDynamic ? outermost(run, name) : undefined;
      run.branch(target ?? found!, value, place);
    };
  }

  /** Throws UnusableSchema for a reference to nothing. */
  resolve(): void {
    // A part that only a reference names may have further references.
    for (const find of this.#pending) find();
  }

  #find(reference: string, from: Resource): Part {
    const [address = '', fragment = ''] = addressOf(reference, from.id).split('#');
    const resource = this.#resources.get(address);
    const part = resource && this.#partAt(resource, decoded(fragment));
    if (!part) throw new UnusableSchema(`can't resolve reference ${reference}`);
    return part;
  }

  #partAt(resource: Resource, fragment: string): Part | undefined {
    if (fragment !== '' && !fragment.startsWith('/')) return resource.anchors.get(fragment);
    const steps = fragment.split('/').slice(1);
    const schema = steps.reduce<unknown>((at, step) => memberOf(at, step), resource.root);
    return isObject(schema) || typeof schema === 'boolean' ? this.#partOf(schema, resource) : undefined;
  }
}

function memberOf(value: unknown, step: string): unknown {
  const name = step.replaceAll('~1', '/').replaceAll('~0', '~');
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined;
}

function outermost(run: Run, name: string): Part | undefined {
  run.spend(run.scope.length);
  return run.scope.find(({ dynamicAnchors }) => dynamicAnchors.has(name))?.dynamicAnchors.get(name);
}

function addressOf(reference: string, base: string): string {
  return URL.canParse(reference, base) ? new URL(reference, base).href : reference;
}

function decoded(fragment: string): string {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return fragment;
  }
}
