import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PACKAGE_ROOT } from '@understudy/text/files';

interface Schema {
  $ref?: string;
  type?: string | string[];
  properties?: Record<string, Schema>;
  items?: Schema;
  additionalProperties?: boolean | Schema;
  allOf?: Schema[];
  anyOf?: Schema[];
  oneOf?: Schema[];
}

interface Written {
  operationId: string;
  'x-dialect'?: string;
  'x-body-field'?: string;
  requestBody?: { $ref?: string; content: Record<string, { schema: Schema }> };
}

interface Document {
  paths: Record<string, Record<string, Written>>;
  components: { schemas: Record<string, Schema>; requestBodies?: Record<string, Written['requestBody']> };
}

/** An operation that updates something, with the lists and maps of its body. */
export interface Update {
  operation: string;
  verb: 'put' | 'patch';
  path: string;
  /** The field of the RPC's message that is the body. */
  bodyField: string | undefined;
  /** The lists and maps, as `a.b`; the whole body has an empty name. */
  fields: string[];
}

const document: Document = JSON.parse(readFileSync(join(PACKAGE_ROOT, 'dist', 'openapi.json'), 'utf8'));

/** Every PATCH and PUT of the service's own API that takes a list or a map, each with its first path. */
export function updates(): Update[] {
  const found = new Map<string, Update>();
  for (const [path, item] of Object.entries(document.paths))
    for (const verb of ['put', 'patch'] as const) {
      const written = item[verb];
      if (!written || written['x-dialect'] !== 'service') continue;
      const operation = written.operationId.replace(/\d+$/, '');
      const fields = [...new Set(schemasOf(written).flatMap((schema) => collections(schema, '')))];
      const update = { operation, verb, path, bodyField: written['x-body-field'], fields };
      if (fields.length > 0 && !found.has(operation)) found.set(operation, update);
    }
  return [...found.values()];
}

function schemasOf({ requestBody }: Written): Schema[] {
  return Object.values(requestBody?.content ?? {}).map(({ schema }) => schema);
}

function resolved(schema: Schema): Schema {
  const name = schema.$ref?.split('/').at(-1);
  return name === undefined ? schema : resolved(document.components.schemas[name]!);
}

function collections(written: Schema, path: string): string[] {
  const schema = resolved(written);
  const types = [schema.type ?? []].flat();
  const members = Object.entries(schema.properties ?? {});
  if (types.includes('array') || schema.items) return [path];
  // Beside properties, `anyOf` says which of them must be there.
  const others = members.length > 0 ? [] : [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])];
  const parts = [...(schema.allOf ?? []), ...others];
  const isOpen = types.includes('object') && members.length + parts.length === 0;
  if (isOpen && schema.additionalProperties !== false) return [path];
  return [
    ...parts.flatMap((part) => collections(part, path)),
    ...members.flatMap(([name, member]) => collections(member, path ? `${path}.${name}` : name)),
  ];
}
