import { describe, expect, it } from 'vitest';
import { createDocuments } from '../../src/documents.ts';
import { contractDrift } from '../../src/drift/contract-drift.ts';
import {
  DocumentError,
  publishedDocument,
  readPublishedDocument,
} from '../../src/drift/published-document.ts';

const own = createDocuments().service();
const ours = publishedDocument('openapi.json', own);

/** What drift says of a document with these paths and schemas. */
function driftOf(document: object) {
  const theirs = readPublishedDocument('theirs.json', JSON.stringify({ openapi: '3.0.0', ...document }));
  return contractDrift(theirs, ours).findings.filter(
    ({ kind, verdict }) => kind !== 'operation' || verdict === 'drift',
  );
}

const of = (findings: ReturnType<typeof driftOf>) =>
  findings
    .filter(({ message }) => !message.startsWith('removed: '))
    .map(({ subject, kind, severity, message }) => ({ subject, kind, severity, message }));

const answer = (schema: object) => ({
  200: { description: '', content: { 'application/json': { schema } } },
});

const ROLE = '/api/v1/roles/{name}';

describe('the contract of a published document', () => {
  it('is the same for our own document', () => {
    const { findings, counts } = contractDrift(readPublishedDocument('own.json', JSON.stringify(own)), ours);

    expect(findings).toEqual([]);
    expect(counts).toMatchObject({ drift: 0, unknown: 0, identical: ours.operations.size });
  });

  it('has operations and fields that were added, removed or changed', () => {
    const role = {
      type: 'object',
      properties: {
        role: { type: 'object', properties: { id: { type: 'integer' }, colour: { type: 'string' } } },
      },
    };
    const findings = driftOf({
      paths: {
        // The names of variables do not matter.
        '/api/v1/roles/{role_name}': {
          get: {
            parameters: [{ name: 'deep', in: 'query', required: true, schema: { type: 'boolean' } }],
            responses: answer(role),
          },
        },
        '/api/v1/moons': { post: { operationId: 'Moons_Create', responses: {} } },
      },
    });

    expect(of(findings)).toEqual([
      {
        subject: 'RolesService_GetRole',
        kind: 'field added',
        severity: 'breaking',
        message: 'added: query.deep, which is required',
      },
      {
        subject: 'RolesService_GetRole',
        kind: 'type',
        severity: 'breaking',
        message: 'changed: response.role.id is number, in Understudy string',
      },
      {
        subject: 'RolesService_GetRole',
        kind: 'field added',
        severity: 'notable',
        message: 'added: response.role.colour',
      },
      {
        subject: 'Moons_Create',
        kind: 'operation',
        severity: 'notable',
        message: 'added: POST /api/v1/moons, which Understudy does not have',
      },
    ]);
    expect(findings).toContainEqual(
      expect.objectContaining({
        message: 'removed: response.role.name, which Understudy has',
        severity: 'breaking',
      }),
    );
    expect(findings).toContainEqual(
      expect.objectContaining({
        message:
          'removed: the document does not have DELETE /api/v1/roles/{role_name}, and Understudy has it',
        severity: 'cosmetic',
      }),
    );
  });

  it('is read from Swagger 2 too, whose bodies are parameters', () => {
    const document = {
      swagger: '2.0',
      basePath: '/api/v1',
      paths: {
        '/roles': {
          post: {
            parameters: [{ in: 'body', name: 'role', schema: { $ref: '#/definitions/Role' } }],
            responses: {
              201: { schema: { type: 'object', properties: { role: { $ref: '#/definitions/Role' } } } },
            },
          },
        },
      },
      definitions: {
        Role: { type: 'object', properties: { name: { type: 'string' }, colour: { type: 'string' } } },
      },
    };
    const found = contractDrift(
      readPublishedDocument('swagger.yaml', JSON.stringify(document)),
      ours,
    ).findings;

    expect(
      found
        .filter(
          ({ subject, message }) => subject === 'RolesService_CreateRole' && message.startsWith('added'),
        )
        .map(({ message }) => message),
    ).toEqual(['added: request.colour', 'added: response.role.colour']);
  });

  it('takes a schema that is wrapped into alternatives for the same', () => {
    const role = {
      type: 'object',
      properties: {
        role: {
          oneOf: [
            { type: 'object', properties: { id: { type: 'string' } } },
            { type: 'object', properties: { name: { type: 'string' } } },
          ],
        },
      },
    };
    const findings = driftOf({ paths: { [ROLE]: { get: { responses: answer(role) } } } });

    expect(
      findings.filter(({ subject }) => subject === 'RolesService_GetRole').map(({ message }) => message),
    ).not.toContainEqual(expect.stringMatching(/role\.(id|name),/));
  });

  it('has schemas within themselves, and references that lead nowhere', () => {
    const document = {
      paths: {
        [ROLE]: { get: { responses: answer({ $ref: '#/components/schemas/Tree' }) } },
        '/a': { $ref: '#/paths/~1b' },
        '/b': { $ref: '#/paths/~1a' },
      },
      components: {
        schemas: {
          Tree: {
            type: 'object',
            properties: {
              role: { $ref: '#/components/schemas/Tree' },
              all: { allOf: [{ $ref: '#/components/schemas/Tree' }] },
              far: { $ref: 'https://elsewhere.example/schema.json' },
              file: { $ref: '../../etc/passwd' },
              gone: { $ref: '#/nothing' },
            },
          },
        },
      },
    };
    const theirs = readPublishedDocument('tree.json', JSON.stringify({ openapi: '3.0.0', ...document }));

    expect([...theirs.outside]).toEqual(['https://elsewhere.example/schema.json', '../../etc/passwd']);
    const told = contractDrift(theirs, ours)
      .findings.filter(({ verdict }) => verdict === 'unknown')
      .map(({ message }) => message);
    expect(told).toContain(
      'the document refers to https://elsewhere.example/schema.json, which is outside of it and was not read',
    );
  });

  it('costs little, however large schemas within schemas become', () => {
    // Without a bound, each level has twice the fields of the one below.
    const levels = Array.from({ length: 40 }, (_, i) => [
      `L${i}`,
      {
        type: 'object',
        properties: {
          a: { $ref: `#/components/schemas/L${i + 1}` },
          b: { $ref: `#/components/schemas/L${i + 1}` },
        },
      },
    ]);
    const document = {
      openapi: '3.1.0',
      paths: { [ROLE]: { get: { responses: answer({ $ref: '#/components/schemas/L0' }) } } },
      components: { schemas: Object.fromEntries(levels) },
    };
    const before = process.cpuUsage().user;

    const theirs = readPublishedDocument('wide.json', JSON.stringify(document));

    expect(theirs.operations.get('GET /api/v1/roles/{}')!.response.size).toBeLessThanOrEqual(5000);
    expect((process.cpuUsage().user - before) / 1e6).toBeLessThan(2);
  });

  it.each([
    ['text', 'hello: [', /^bad: /],
    ['a list', '[]', 'bad: it is not an OpenAPI document, which is an object'],
    [
      'another document',
      '{"name": "x"}',
      'bad: it has neither openapi nor swagger, so it is not an OpenAPI document',
    ],
    ['a document without paths', 'openapi: 3.1.0', 'bad: it has no paths'],
    [
      'a bomb of aliases',
      `a: &a [x,x,x,x,x,x,x,x]\n${'bcdefghij'
        .split('')
        .map(
          (name, i, all) =>
            `${name}: &${name} [${Array(8)
              .fill(`*${i === 0 ? 'a' : all[i - 1]}`)
              .join(',')}]`,
        )
        .join('\n')}`,
      /^bad: Excessive alias count/,
    ],
  ])('is refused if it is %s', (_, text, message) => {
    expect(() => readPublishedDocument('bad', text)).toThrow(DocumentError);
    expect(() => readPublishedDocument('bad', text)).toThrow(message);
  });
});
