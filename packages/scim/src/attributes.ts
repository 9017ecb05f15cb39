/** A characteristic of an attribute (RFC 7643 7) is absent where it has its default. */
export interface Attribute {
  readonly name: string;
  readonly type:
    'string' | 'boolean' | 'decimal' | 'integer' | 'dateTime' | 'reference' | 'binary' | 'complex';
  readonly description: string;
  readonly multiValued?: true;
  readonly required?: true;
  readonly caseExact?: true;
  readonly mutability?: 'readOnly' | 'immutable' | 'writeOnly';
  readonly returned?: 'always' | 'never';
  readonly uniqueness?: 'server';
  readonly canonicalValues?: readonly string[];
  readonly referenceTypes?: readonly string[];
  readonly sub?: Attributes;
  /** What a text must be. No schema announces it, because RFC 7643 has no word for it. */
  readonly format?: 'email';
}

/** Attributes by their name in any letter case (RFC 7643 2.1). */
export class Attributes {
  readonly all: readonly Attribute[];
  readonly #byName: ReadonlyMap<string, Attribute>;

  constructor(all: readonly Attribute[]) {
    this.all = all;
    this.#byName = new Map(all.map((attribute) => [attribute.name.toLowerCase(), attribute]));
  }

  find(name: string): Attribute | undefined {
    return this.#byName.get(name.toLowerCase());
  }
}

export interface Schema {
  /** A URN. */
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly attributes: Attributes;
}

/** A resource as SCIM writes it. Its members have the names of the schemas. */
export type Resource = Record<string, unknown>;

export const isObject = (value: unknown): value is Resource =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The attributes of every resource (RFC 7643 3.1). */
const COMMON: readonly Attribute[] = [
  {
    name: 'schemas',
    type: 'reference',
    description: 'The schemas of the resource.',
    multiValued: true,
    mutability: 'readOnly',
    returned: 'always',
    caseExact: true,
  },
  {
    name: 'id',
    type: 'string',
    description: 'The id of the resource at the service.',
    mutability: 'readOnly',
    returned: 'always',
    caseExact: true,
  },
  {
    name: 'externalId',
    type: 'string',
    description: 'The id of the resource at the identity provider.',
    caseExact: true,
  },
  {
    name: 'meta',
    type: 'complex',
    description: 'What the service knows about the resource.',
    mutability: 'readOnly',
    sub: new Attributes([
      { name: 'resourceType', type: 'string', description: 'The type.', caseExact: true },
      { name: 'created', type: 'dateTime', description: 'When it was created.' },
      { name: 'lastModified', type: 'dateTime', description: 'When it was changed.' },
      { name: 'location', type: 'reference', description: 'Its address.', caseExact: true },
      { name: 'version', type: 'string', description: 'Its entity tag.', caseExact: true },
    ]),
  },
];

/** A type of resource: a schema and its extensions. */
export class ResourceType {
  readonly name: string;
  /** The last part of the address of its resources, such as `/Users`. */
  readonly endpoint: string;
  readonly core: Schema;
  readonly extensions: readonly Schema[];
  /** The attributes of the core schema, and those that every resource has. */
  readonly attributes: Attributes;

  constructor(name: string, endpoint: string, core: Schema, extensions: readonly Schema[] = []) {
    this.name = name;
    this.endpoint = endpoint;
    this.core = core;
    this.extensions = extensions;
    this.attributes = new Attributes([...COMMON, ...core.attributes.all]);
  }

  /** The extension with this URN in any letter case. */
  extension(urn: string): Schema | undefined {
    return this.extensions.find(({ id }) => id.toLowerCase() === urn.toLowerCase());
  }
}
