import { jsonTypeIn, responseOf, type Operation, type Schema } from '@understudy/core/contract/compiled';
import type { Contract } from '@understudy/core/contract/contract';

/** A place in the contract: a schema, and the pointer to it in the document that Understudy serves. */
export interface SchemaPlace {
  schema: Schema;
  pointer: string;
  /** The name of the schema that the place refers to. */
  name?: string;
}

const escaped = (name: string) => name.replaceAll('~', '~0').replaceAll('/', '~1');

/** Finds the schemas of answers and of their members. */
export class SchemaPlaces {
  readonly #contract: Contract;

  constructor(contract: Contract) {
    this.#contract = contract;
  }

  ofAnswer(operation: Operation | undefined, status: number): SchemaPlace | undefined {
    const content = operation && responseOf(operation, status)?.content;
    const type = jsonTypeIn(content);
    if (!operation || !content || type === undefined) return undefined;
    const pointer = `#/paths/${escaped(operation.path)}/${operation.method.toLowerCase()}/responses/${status}`;
    return this.#resolve(content[type]!.schema, `${pointer}/content/${escaped(type)}/schema`);
  }

  ofEvent(type: string): SchemaPlace | undefined {
    const content = this.#contract.message(type)?.requestBody?.content;
    const schema = content && Object.values(content)[0]?.schema;
    return schema && this.#resolve(schema, `#/webhooks/${escaped(type)}`);
  }

  member({ schema, pointer }: SchemaPlace, name: string): SchemaPlace | undefined {
    const member = schema.properties?.[name];
    if (member) return this.#resolve(member, `${pointer}/properties/${escaped(name)}`);
    const further = schema.additionalProperties;
    return typeof further === 'object'
      ? this.#resolve(further, `${pointer}/additionalProperties`)
      : undefined;
  }

  item({ schema, pointer }: SchemaPlace): SchemaPlace | undefined {
    return schema.items && this.#resolve(schema.items, `${pointer}/items`);
  }

  #resolve(schema: Schema, pointer: string): SchemaPlace {
    if (schema.$ref === undefined) return { schema, pointer };
    const name = schema.$ref.replace('schema:', '');
    const named = this.#contract.schemaNamed(name);
    return named
      ? { schema: named, pointer: `#/components/schemas/${escaped(name)}`, name }
      : { schema, pointer };
  }
}
