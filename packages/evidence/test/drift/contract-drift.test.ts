import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { createDocuments } from '../../../../src/contract/documents.ts';
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
        severity: 'breaking',
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

  it('is refused if its references make it far larger than it is written', () => {
    const all = Array.from({ length: 60 }, (_, i) => ({ $ref: `#/components/schemas/S${i}` }));
    const first = all[0]!;
    const names = Array.from({ length: 15_000 }, (_, i) => `n${i}`);
    const paths = (schema: object) => ({ [ROLE]: { get: { responses: answer(schema) } } });
    const schemas = (schema: object) => Object.fromEntries(all.map((_, i) => [`S${i}`, schema]));
    const many = Object.fromEntries(names.map((name) => [`/${name}`, { $ref: '#/paths/shared' }]));
    const hostile = {
      'every schema has all others': {
        paths: paths(first),
        components: { schemas: schemas({ allOf: all }) },
      },
      'every field has an enum': {
        paths: paths({ properties: Object.fromEntries(names.map((name) => [name, { $ref: '#/enum' }])) }),
        enum: { enum: names },
      },
      'all paths share parameters': {
        paths: { ...many, shared: { get: { parameters: names.map((name) => ({ name, in: 'query' })) } } },
      },
      'long paths': {
        swagger: '2.0',
        basePath: `/${'x'.repeat(8_000_000)}`,
        paths: { ...many, shared: { get: {} } },
      },
      'every list of required names is long': {
        paths: paths(first),
        components: {
          schemas: schemas({ required: names, properties: { a: first, b: all[1] }, allOf: all }),
        },
      },
    };
    const texts = Object.entries(hostile).map(
      ([name, document]) => [name, JSON.stringify({ openapi: '3.1.0', ...document })] as const,
    );

    for (const [name, text] of texts) {
      const before = process.cpuUsage().user;
      expect(() => readPublishedDocument('large', text), name).toThrow(
        'large: it is too large when its references are followed: it has more than 1000000 schemas, names and values',
      );
      expect((process.cpuUsage().user - before) / 1e6, name).toBeLessThan(4);
    }
  });

  it('may refer to itself without end', () => {
    const document = {
      openapi: '3.1.0',
      paths: { [ROLE]: { get: { responses: answer({ $ref: '#/x' }) } } },
      x: { $ref: '#/y' },
      y: { $ref: '#/x' },
    };

    const theirs = readPublishedDocument('circle', JSON.stringify(document));

    expect(theirs.operations.get('GET /api/v1/roles/{}')!.response.size).toBe(0);
  });

  it('is read as YAML, too', () => {
    const schema = { type: 'object', properties: { id: { type: 'string' } } };
    const document = { openapi: '3.1.0', paths: { [ROLE]: { get: { responses: answer(schema) } } } };

    const [asYaml, asJson] = [stringify(document), JSON.stringify(document)].map((text) =>
      readPublishedDocument('role', text),
    );

    expect(asYaml).toEqual(asJson);
    expect(asYaml!.operations.get('GET /api/v1/roles/{}')!.response.has('id')).toBe(true);
  });

  it.each([
    ['text', 'hello: [', 'bad: line 1, column 8: this [ is not closed by a ]'],
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
      /^bad: line 1, column 1: Excessive alias count/,
    ],
    ['nested too deep', '{"a":'.repeat(100_000), 'bad: it is nested deeper than 200 levels'],
    ['lists within lists', '['.repeat(1_000_000), 'bad: it is nested deeper than 200 levels'],
    [
      'lists within lists in YAML',
      'a: ' + '['.repeat(1_000_000),
      /^bad: line 1, column \d+: is nested deeper/,
    ],
    [
      'dashes on one line',
      '- '.repeat(1_000_000),
      /^bad: line 1, column \d+: is nested deeper than 100 levels/,
    ],
    [
      'YAML of many words',
      '- [a, b]\n'.repeat(1_000_000),
      /^bad: line \d+, column \d+: is too long to be read as YAML/,
    ],
    [
      'indented ever deeper',
      Array.from({ length: 3000 }, (_, i) => `${' '.repeat(i)}a:`).join('\n'),
      /is nested deeper/,
    ],
    ['one long text', `a: ${'x '.repeat(4_000_000)}`, 'bad: it has neither openapi nor swagger'],
    ['longer than 10 MB', ' '.repeat(10_000_001), 'bad: it has more than 10000000 characters'],
  ])('is refused soon if it is %s', (_, text, message) => {
    const before = process.cpuUsage().user;

    const reading = () => readPublishedDocument('bad', text);

    expect(reading).toThrow(message);
    expect((process.cpuUsage().user - before) / 1e6).toBeLessThan(4);
    expect(reading).toThrow(DocumentError);
  });
});
