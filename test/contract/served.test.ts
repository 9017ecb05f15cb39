import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Contract } from '../../src/contract/contract.ts';
import { readContract } from '../../src/documents.ts';
import { PACKAGE_ROOT } from '../../src/files.ts';
import { boot } from '../support/boot.ts';
import { withoutNull } from './json-types.ts';

interface Schema {
  $ref?: string;
  type?: string | string[];
  anyOf?: Schema[];
  enum?: unknown[];
  required?: string[];
  properties?: Record<string, Schema>;
  additionalProperties?: unknown;
  'x-free-json'?: boolean;
}

interface Written {
  operationId: string;
  requestBody?: { required?: boolean; content: Record<string, { schema: Schema }> };
  'x-open'?: boolean;
}

interface Document {
  paths: Record<string, Record<string, Written>>;
  components: { schemas: Record<string, Schema> };
}

/** The request bodies of the JSON operations of a served contract. */
function bodiesOf(name: 'openapi' | 'control') {
  const file = join(PACKAGE_ROOT, 'dist', `${name}.json`);
  const { paths, components } = JSON.parse(readFileSync(file, 'utf8')) as Document;
  const contract = new Contract(readContract(name));
  const resolve = (written: Schema): Schema => {
    const { $ref, ...schema } = withoutNull(written);
    return $ref === undefined
      ? schema
      : { ...resolve(components.schemas[$ref.split('/').at(-1)!]!), ...schema };
  };
  return Object.values(paths)
    .flatMap((item) => Object.values(item))
    .flatMap(({ operationId, requestBody, 'x-open': isOpen }) => {
      const written = isOpen ? undefined : requestBody?.content['application/json']?.schema;
      if (!requestBody || !written) return [];
      const operation = contract.operation(operationId)!;
      const check = (body: unknown) =>
        contract
          .checkRequest(operation, {
            method: operation.method,
            url: '/',
            params: {},
            query: {},
            headers: {},
            mediaType: 'application/json',
            body,
          })
          .violations.map(({ field }) => field.split('.').at(-1)!)
          .filter((field) => !operation.parameters.some((parameter) => parameter.name === field));
      return [{ id: operationId, requestBody, schema: resolve(written), resolve, check }];
    });
}

function isNullable({ $ref, type, anyOf, enum: words }: Schema): boolean {
  if (type !== undefined) return [type].flat().includes('null');
  if (anyOf) return anyOf.some(isNullable);
  return $ref === undefined && words === undefined;
}

describe.each(['openapi', 'control'] as const)('the served contract %s', (name) => {
  const bodies = bodiesOf(name);
  const typed = bodies.filter(({ schema }) => schema.properties && !schema['x-free-json']);

  it('allows null for each optional member and for no required one, as the program does', () => {
    const wrong = typed.flatMap(({ id, schema, check }) =>
      Object.entries(schema.properties!).flatMap(([member, written]) => {
        const isOptional = !schema.required?.includes(member);
        const isTaken = !check({ [member]: null }).includes(member);
        return isNullable(written) === isOptional && (isTaken || !isOptional) ? [] : [`${id}: ${member}`];
      }),
    );

    expect(wrong).toEqual([]);
    expect(typed.length).toBeGreaterThan(5);
  });

  it('requires a body and the members that the program requires', () => {
    const wrong = typed.flatMap(({ id, requestBody, schema, check }) => {
      const missing = check({});
      const undeclared = missing.filter((field) => !schema.required?.includes(field));
      const isWanted = check(undefined).length > 0;
      return [
        ...undeclared.map((field) => `${id}: ${field} is wanted`),
        ...(isWanted && !requestBody.required ? [`${id}: a body is wanted`] : []),
      ];
    });

    expect(wrong).toEqual([]);
  });

  it('allows additional members where the program ignores them', () => {
    const open = new Set(typed.map(({ schema }) => schema.additionalProperties !== false));

    expect([...open]).toEqual([name === 'openapi']);
  });
});

describe('a request to the service', () => {
  it('can contain null for optional members', async () => {
    const { api } = await boot();

    const { body } = await api
      .post('/api/v1/organizations')
      .send({ display_name: 'Acme', external_id: null, metadata: null, unknown: 1 })
      .expect(201);

    expect(body.organization.external_id ?? '').toBe('');
  });
});
