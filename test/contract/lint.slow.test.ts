import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { PACKAGE_ROOT } from '@understudy/text/files';

const note = {
  type: 'object',
  additionalProperties: false,
  required: ['id'],
  properties: { id: { type: 'string', pattern: '^note_' } },
};

/** A contract with one operation. */
const documentOf = (operation: object) => ({
  openapi: '3.1.1',
  info: { title: 'Notes', version: '1.0.0', license: { name: 'MIT', identifier: 'MIT' } },
  servers: [{ url: 'http://localhost:8080' }],
  security: [{}],
  paths: { '/notes': { post: operation } },
});

const complete = {
  operationId: 'Notes_Create',
  summary: 'Create a note',
  description: 'Creates a note with this id.',
  requestBody: { content: { 'application/json': { schema: note, example: { id: 'note_1' } } } },
  responses: {
    '201': {
      description: 'The note.',
      content: { 'application/json': { schema: note, example: { id: 'note_1' } } },
    },
  },
};

/** Runs the contract linter on a contract with this operation; `beside`: texts of other files in its folder. */
function lint(operation: object, beside: Record<string, string> = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'understudy-lint-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'notes.json');
  writeFileSync(file, JSON.stringify(documentOf(operation)));
  for (const [name, text] of Object.entries(beside)) writeFileSync(join(folder, name), text);
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(PACKAGE_ROOT, 'scripts/lint-contract.mjs'), file],
    { cwd: PACKAGE_ROOT, encoding: 'utf8' },
  );
  return { status, output: stdout + stderr };
}

it('the contract linter accepts an operation with texts and examples', () => {
  const { status, output } = lint(complete);

  expect(output).toContain('0 errors');
  expect(status).toBe(0);
});

it('the contract linter refuses an operation without texts and examples and names it', () => {
  const json = { content: { 'application/json': { schema: note } } };

  const { status, output } = lint({
    operationId: 'Notes_Create',
    requestBody: json,
    responses: { '201': { description: 'The note.', ...json } },
  });

  expect(status).toBe(1);
  expect(output).toContain('Notes_Create has no summary');
  expect(output).toContain('Notes_Create has no description');
  expect(output).toContain('Notes_Create has no example of its request body');
  expect(output).toContain('Notes_Create has no example of its success response');
});

it('the contract linter refuses an example that does not match its schema', () => {
  const wrong = { content: { 'application/json': { schema: note, example: { id: 'org_1' } } } };

  const { status, output } = lint({ ...complete, requestBody: wrong });

  expect(status).toBe(1);
  expect(output).toContain('no-invalid-media-type-examples');
});

describe('the contract linter', () => {
  const withField = (name: string, field: object) => {
    const properties = { ...note.properties, [name]: field };
    const content = { 'application/json': { schema: { ...note, properties }, example: { id: 'note_1' } } };
    return lint({ ...complete, requestBody: { content } });
  };

  it.each(['client_secret', 'passwordHash', 'code', 'api_key', 'refreshTokens'])(
    'refuses the field %s without x-secret',
    (name) => {
      const { status, output } = withField(name, { type: 'string' });

      expect(status).toBe(1);
      expect(output).toContain(`the name ${name} sounds like a secret`);
    },
  );

  it.each([
    [{ type: 'string', 'x-secret': true }],
    [{ type: 'string', 'x-secret': false }],
    [{ type: 'boolean' }],
    [{ type: 'string', format: 'date-time' }],
  ])('accepts the field access_token declared as %o', (field) => {
    expect(withField('access_token', field)).toMatchObject({ status: 0 });
  });
});

it('the contract linter refuses an operation whose path is not listed in the root document', () => {
  const { status, output } = lint(complete, { 'more.yaml': 'paths:\n  get:\n    operationId: Notes_List\n' });

  expect(status).toBe(1);
  expect(output).toContain('Notes_List is in no document: list its path in notes.json');
});
