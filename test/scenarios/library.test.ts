import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { FAILURES } from '../../src/contract/errors.ts';
import { applyEdits } from '../../src/scenarios/edits.ts';
import { runSync } from '../../src/scenarios/steps.ts';
import { withoutPlaceholders } from '../../src/scenarios/format.ts';
import { GRPC_CODES } from '../../src/scenarios/reply.ts';
import { ScenarioFolders } from '../../src/scenarios/scenario-files.ts';
import { Library } from '../../src/scenarios/library.ts';
import { lintScenarios } from '../../src/scenarios/lint.ts';
import { formatComplaint } from '../../src/scenarios/complaints.ts';
import { COLLECTIONS } from '../../src/state/schema.ts';
import {
  complaintsOf,
  control,
  createEnvironment,
  library,
  makeFolder,
  reader,
  SCENARIOS,
} from './support.ts';

const shipped = readdirSync(SCENARIOS).filter((file) => file.endsWith('.yaml'));

describe('shipped scenarios', () => {
  it.each(shipped)('%s is valid, names its schema and has a description', (file) => {
    const text = readFileSync(join(SCENARIOS, file), 'utf8');

    const scenario = reader.readFile(join(SCENARIOS, file));

    expect(text.split('\n')[0]).toBe('# yaml-language-server: $schema=./scenario.schema.json');
    expect(scenario.name).toBe(basename(file, '.yaml'));
    expect(scenario.description!.length).toBeGreaterThan(20);
  });

  it.each(shipped)('%s loads on the default fixture', (file) => {
    const { state } = reader.readFile(join(SCENARIOS, file));

    createEnvironment().transact({ baseUrl: '' }, (env) => runSync(applyEdits(env, state, control)));
  });

  it('are exactly this list', () => {
    expect(library.available().map(({ name }) => name)).toEqual([
      'answer-lost',
      'client-forgotten',
      'code-wrong',
      'connected-account-duplicate',
      'connected-account-link-expired',
      'connected-account-refresh-failure',
      'consent-denied',
      'deadline-exceeded',
      'directory-sync-failed',
      'dropped-connections',
      'identifier-mismatch',
      'interceptor-claims',
      'interceptor-denies',
      'interceptor-unreachable',
      'internal-error',
      'invite-accepted',
      'invite-expired',
      'login-request-expired',
      'magic-link-expired',
      'mcp-session-lost',
      'metadata-unreachable',
      'older-conflicts',
      'passkey-copied',
      'passkey-removed',
      'portal-link-expired',
      'rate-limit-always',
      'rate-limit-once',
      'refresh-failure',
      'refresh-token-grace',
      'refresh-token-once',
      'refresh-token-reused',
      'registration-refused',
      'saml-attribute-missing',
      'saml-certificate-changed',
      'saml-certificate-expired',
      'saml-clock-ahead',
      'saml-encrypted',
      'saml-expired',
      'saml-transient-name',
      'saml-unsigned',
      'saml-wrong-audience',
      'scim-group-deleted',
      'scim-secret-rotated',
      'scim-user-deleted',
      'seat-limit',
      'session-revoked',
      'sign-in-denied',
      'sign-in-expired',
      'signing-key-unknown',
      'slow-answers',
      'token-expired',
      'tool-failure',
      'tool-forbidden',
      'tool-invalid-params',
      'tool-rate-limited',
      'tool-timeout',
      'tool-unauthorized',
      'tool-version-missing',
      'totp-locked',
      'unavailable',
      'unimplemented',
      'verification-consumed',
      'verification-unknown',
      'webhook-delayed',
      'webhook-dropped',
      'webhook-duplicate',
      'webhook-endpoint-down',
      'webhook-old-timestamp',
      'webhook-out-of-order',
      'webhook-outside-contract',
      'webhook-rotated-secret',
      'webhook-unreachable',
      'webhook-wrong-signature',
    ]);
  });
});

describe('scenario.schema.json', () => {
  const published = JSON.parse(readFileSync(join(SCENARIOS, 'scenario.schema.json'), 'utf8'));
  const schema = withoutPlaceholders(published) as {
    $defs: { changes: { properties: object }; reply: { properties: Record<string, { enum: string[] }> } };
  };
  const editor = new Ajv2020({ strict: false, formats: { 'date-time': true } }).compile(published);
  const complaintsOfEditor = (yaml: string) => {
    editor(parse(yaml));
    return (editor.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
  };

  it('lists every collection, error and gRPC code', () => {
    const { error, grpc } = schema.$defs.reply.properties;

    expect(new Set(Object.keys(schema.$defs.changes.properties))).toEqual(new Set(COLLECTIONS));
    expect(error!.enum).toEqual(Object.keys(FAILURES));
    expect(grpc!.enum).toEqual(Object.keys(GRPC_CODES));
  });

  it.each(shipped)('accepts %s as it is written', (file) => {
    expect(complaintsOfEditor(readFileSync(join(SCENARIOS, file), 'utf8'))).toEqual([]);
  });

  it('accepts a placeholder, but no other text, for numbers, durations and names', () => {
    const scenario = (x: string) => `name: a
params: { x: 1, y: { type: integer, optional: true, enum: [1, 2] }, z: }
include: ['\${z}', { name: b, params: { c: '\${x}' } }]
clock: { mode: ${x}, at: ${x} }
rules:
  - on: { method: ${x}, path: /a }
    after: ${x}
    every: ${x}
    probability: ${x}
    times: ${x}
    reply: { error: ${x}, grpc: ${x} }
  - on: ${x}
    fault: { delay: ${x} }
    reply: { status: ${x}, body: ${x} }
  - on: a
    fault: { disconnect: ${x} }
  - on: a
    fault: { truncate: ${x} }
`;

    expect(complaintsOfEditor(scenario("'${x}'"))).toEqual([]);
    expect(complaintsOfEditor(scenario("'x'"))).not.toEqual([]);
  });

  it('has a description for every property', () => {
    const silent: string[] = [];
    const look = (at: unknown, path: string) => {
      if (typeof at !== 'object' || at === null) return;
      const { properties = {} } = at as { properties?: Record<string, Record<string, unknown>> };
      for (const [name, value] of Object.entries(properties)) {
        const { $ref, not, description } = value;
        if (!$ref && !not && !description && !path.endsWith('/caller')) silent.push(`${path}.${name}`);
      }
      for (const [key, inner] of Object.entries(at))
        if (!['if', 'then', 'else'].includes(key)) look(inner, `${path}/${key}`);
    };

    look(published, '');

    expect(silent).toEqual([]);
  });
});

describe('Library', () => {
  function folderOf(files: Record<string, string>) {
    const folder = makeFolder();
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    return new Library(new ScenarioFolders([], folder), reader);
  }

  it('finds YAML and JSON files, and ignores the schema and other files', () => {
    const files = folderOf({
      'a.yaml': 'name: a\ndescription: first\n',
      'b.yml': 'name: b\n',
      'c.json': '{"name":"c"}',
      'scenario.schema.json': '{}',
      'notes.txt': '',
    });

    expect(files.available()).toMatchObject([
      { name: 'a', description: 'first', params: {} },
      { name: 'b', description: '' },
      { name: 'c', description: '' },
    ]);
  });

  it('parses a file again only when its text has changed', () => {
    const folder = makeFolder();
    const path = join(folder, 'a.yaml');
    writeFileSync(path, 'name: a\nparams: { n: { default: one } }\ndescription: ${n}\n');
    const files = new Library(new ScenarioFolders([], folder), reader);
    const paramsNow = () => files.available()[0]!.params;
    const first = paramsNow();

    expect(paramsNow()).toBe(first);
    writeFileSync(path, 'name: a\nparams: { n: { default: two } }\ndescription: ${n}\n');
    expect(paramsNow()).toMatchObject({ n: { default: 'two' } });
  });

  it('lists an invalid scenario with the reason', () => {
    const [broken] = folderOf({ 'a.yaml': 'name: a\nruls: []\n' }).available();

    expect(broken!.name).toBe('a');
    expect(broken!.description).toMatch(/^cannot be loaded: .*a\.yaml:2:1: ruls: unknown key/);
  });

  it('requires the scenario to have the name of its file', () => {
    const complaints = complaintsOf(() => folderOf({ 'a.yaml': 'name: b\n' }).read('a'));

    expect(complaints).toMatchObject([
      { line: 1, column: 7, path: 'name', message: 'must be the name of the file, a' },
    ]);
  });

  it('names the most similar scenarios where there are too many to list', () => {
    const folder = makeFolder();
    for (let number = 100; number < 300; number++)
      writeFileSync(join(folder, `${'long-name-'.repeat(3)}${number}.yaml`), '');
    const many = new Library(new ScenarioFolders([folder], SCENARIOS), reader);

    expect(() => many.read('qqqq')).toThrow(
      /^scenario qqqq not found; the most similar of \d{3} are [a-z-]+(, [a-z-]+){4}$/,
    );
  });

  it('suggests the nearest name for an unknown scenario', () => {
    expect(() => library.read('invite-expire')).toThrow(
      'scenario invite-expire not found; did you mean invite-expired?',
    );
    expect(() => library.read('nope')).toThrow(
      /^scenario nope not found; known: \S+, .*invite-expired, .*\S+$/,
    );
    expect(() => library.read('../package')).toThrow('not found');
    expect(() => folderOf({}).read('a')).toThrow('scenario a not found; there are none');
  });
});

describe('lintScenarios', () => {
  it('returns the errors of each file', () => {
    const folder = makeFolder();
    const [good, bad, gone] = ['good.yaml', 'bad.yaml', 'gone.yaml'].map((name) => join(folder, name));
    writeFileSync(good!, 'name: good\n');
    writeFileSync(bad!, 'name: bad\nclok: {}\n');

    const linted = lintScenarios([good!, bad!, gone!], reader);

    expect(linted.map(({ complaints }) => complaints.map(formatComplaint))).toEqual([
      [],
      [`${bad}:2:1: clok: unknown key clok; did you mean clock?`],
      [`${gone}: no such file; did you mean good.yaml?`],
    ]);
  });
});

describe('the clock of a scenario', () => {
  it.each([
    ['{ mode: frozen, at: 2026-03-01T09:00:00Z }', { mode: 'frozen', at: '2026-03-01T09:00:00Z' }],
    ['{ mode: offset, offset: -1h }', { mode: 'offset', offset_ms: -3_600_000 }],
    ['{ mode: offset, offset: 2d }', { mode: 'offset', offset_ms: 172_800_000 }],
    ['{ mode: real }', { mode: 'real' }],
  ])('%s becomes clock settings', (written, settings) => {
    expect(reader.read(`name: test\nclock: ${written}\n`, 'test.yaml').clock).toEqual(settings);
  });
});
