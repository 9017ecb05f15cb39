import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { RUNS, tryAnyJson } from '../contract/any-json.ts';
import { MALFORMED, operationsOf, type Documented } from '../contract/bad-requests.ts';
import { agentFor, call, expectRefusal, fieldsOf, raw } from '../contract/refusals.ts';
import { boot, bootOnce, type Booted } from '../support/boot.ts';
import { refusal, required } from '../support/violations.ts';

/**
 * MCP servers read and check their messages themselves: packages/accounts/test/mcp/refusals.test.ts. Callers of SCIM have the secret of a
 * directory: packages/provisioning/test/scim/hostile.test.ts.
 */
const operations = operationsOf('openapi').filter(({ dialect }) => dialect !== 'mcp' && dialect !== 'scim');
const secured = operations.filter((operation) => operation.secured);
const withBody = operations.filter(({ mediaType }) => mediaType !== undefined);
const withTypedBody = withBody.filter(({ mediaType }) => mediaType !== '*/*');
const withJson = withBody.filter(({ mediaType }) => mediaType === 'application/json');
const withVariables = operations.filter(({ template }) => template.includes('{'));

const { same, fresh } = bootOnce();

/** Users sign in at the default environment. */
const freshFor = ({ wants }: Documented) => (wants === 'client' ? fresh() : boot());

const hashOf = async ({ control }: Booted) =>
  (await control.get('/state/hash').expect(200)).body.hash as string;

describe.each(operations)('$id', (operation) => {
  it('refuses each request that breaks a rule of the contract, names the field and stores nothing', async () => {
    const booted = await same();
    const api = await agentFor(booted, operation);
    const before = await hashOf(booted);

    for (const { rule, path, body, field } of operation.broken) {
      const response = await call(api, operation, path, body);

      expect({ rule, status: response.status, body: response.body }).toMatchObject({ status: 400 });
      expectRefusal(response, [400], operation);
      if (operation.dialect === 'service') expect([rule, ...fieldsOf(response)]).toContain(field);
    }
    expect(await hashOf(booted)).toBe(before);
  });
});

describe.each(withJson)('$id', (operation) => {
  it('refuses an unreadable body and stores nothing', async () => {
    const booted = await same();
    const api = await agentFor(booted, operation);
    const before = await hashOf(booted);

    for (const [, bytes] of MALFORMED) {
      const response = await raw(api[operation.verb](operation.path), 'application/json', bytes);

      expectRefusal(response, [400], operation);
      expect(response.body.details).toEqual([
        expect.not.objectContaining({ validation_error_info: expect.anything() }),
      ]);
    }
    expect(await hashOf(booted)).toBe(before);
  });

  it('ignores members such as __proto__ with a warning', async () => {
    const api = await agentFor(await freshFor(operation), operation);
    const text = JSON.stringify(operation.body).replace(
      '{',
      '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},',
    );

    const response = await raw(
      api[operation.verb](operation.path),
      'application/json',
      text.replace(/,\}$/, '}'),
    );

    const at = text.startsWith('[') ? '[0].' : '';
    const warnings = operation.free ? undefined : `unknown: ${at}__proto__, ${at}constructor`;
    expect(response.headers['understudy-warnings']).toBe(warnings);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  it('answers random JSON without an internal error', async () => {
    const api = await agentFor(await freshFor(operation), operation);

    // A tool can fail; any other 500 is a bug.
    await tryAnyJson(api, operation, RUNS.fast, ['TOOL_ERROR']);
  });
});

describe.each(withTypedBody)('$id', (operation) => {
  it('refuses a body of another content type', async () => {
    const api = await agentFor(await same(), operation);

    const response = await raw(api[operation.verb](operation.path), 'text/csv', 'display_name\nAcme\n');

    expectRefusal(response, [415], operation);
  });
});

describe.each(withBody)('$id', (operation) => {
  it('refuses a body of 10 MB', async () => {
    const booted = await same();
    const api = await agentFor(booted, operation);
    const before = await hashOf(booted);

    const response = await raw(
      api[operation.verb](operation.path),
      operation.mediaType!,
      'x'.repeat(10_000_000),
    );

    expectRefusal(response, [413], operation);
    expect(await hashOf(booted)).toBe(before);
  });
});

describe.each(secured)('$id', (operation) => {
  it('refuses a call without a token before anything else is checked', async () => {
    const { anonymous } = await same();
    const request = anonymous[operation.verb](
      `${operation.path}${operation.path.includes('?') ? '&' : '?'}page_size=%zz`,
    );

    const response = await raw(request, 'text/csv', '{');

    expectRefusal(response, [401], operation);
    const isOAuth = operation.dialect === 'oauth';
    const expected = isOAuth ? { error: 'invalid_token' } : { code: 16, message: 'Token empty' };
    expect(response.body).toMatchObject(expected);
    expect(response.headers['www-authenticate']).toBe(isOAuth ? 'Bearer error="invalid_token"' : 'Bearer');
  });
});

describe.each(withVariables)('$id', (operation) => {
  it('refuses malformed percent-encoding in the path after it checks the token', async () => {
    const booted = await same();
    const api = await agentFor(booted, operation);
    const { anonymous } = booted;
    const path = operation.template.replace(/\{[^}]+\}/g, '%E0%A4%A');

    const response = await api[operation.verb](path);
    const withoutToken = await anonymous[operation.verb](path);

    expectRefusal(response, [400], operation);
    expect(response.text).toMatch(/malformed percent-encoding in the path: %E0%A4%A/i);
    expectRefusal(withoutToken, [operation.secured ? 401 : 400], operation);
  });
});

describe('a query', () => {
  it('is refused when its percent-encoding is malformed', async () => {
    const { api } = await fresh();

    const response = await api.get('/api/v1/organizations?external_id=%zz');

    expectRefusal(response, [400], { dialect: 'service' });
    expect(response.body.message).toBe('malformed percent-encoding in the query: external_id');
  });

  it('can contain any reserved character', async () => {
    const { api } = await fresh();

    const response = await api.get("/api/v1/organizations?external_id=a:/?@[]!$'()*,;=b").expect(200);

    expect(response.body.total_size).toBe(0);
    expect(response.headers).not.toHaveProperty('understudy-warnings');
  });

  it('refuses several values of a parameter that is no list', async () => {
    const { api } = await fresh();

    const bad = await api.get('/api/v1/organizations?page_size=1&page_size=2').expect(400);

    expect(fieldsOf(bad)).toEqual(['page_size']);
  });

  it('decodes a plus sign as a space', async () => {
    const { api } = await fresh();
    await api
      .post('/api/v1/organizations')
      .send({ display_name: 'Acme', external_id: 'crm one' })
      .expect(201);

    const response = await api.get('/api/v1/organizations?external_id=crm+one').expect(200);

    expect(response.body.total_size).toBe(1);
  });
});

describe('a body', () => {
  it('can begin with a byte order mark', async () => {
    const { api } = await fresh();

    const created = await raw(
      api.post('/api/v1/organizations'),
      'application/json',
      '\uFEFF{"display_name":"Acme"}',
    ).expect(201);

    expect(created.body.organization.display_name).toBe('Acme');
  });

  it('counts as missing when it is null', async () => {
    const { api } = await fresh();

    const refused = await raw(api.post('/api/v1/organizations'), 'application/json', 'null').expect(400);

    expect(refused.body).toEqual(refusal(required('organization')));
  });

  it('can declare a character set', async () => {
    const { api } = await fresh();

    await raw(
      api.post('/api/v1/organizations'),
      'Application/JSON; charset=utf-8',
      '{"display_name":"Ácme"}',
    ).expect(201);
  });

  it('is read as JSON without a content type', async () => {
    const { api } = await fresh();

    await api.post('/api/v1/organizations').send(Buffer.from('{"display_name":"Acme"}')).expect(201);
  });

  it('can be compressed', async () => {
    const { api } = await fresh();
    const request = api.post('/api/v1/organizations').set('content-encoding', 'gzip');

    await raw(request, 'application/json', gzipSync('{"display_name":"Acme"}')).expect(201);
  });

  it('is refused when it exceeds the limit after decompression or is not valid gzip', async () => {
    const { api } = await fresh();
    const compressed = (bytes: Buffer) =>
      raw(api.post('/api/v1/organizations').set('content-encoding', 'gzip'), 'application/json', bytes);

    const bomb = await compressed(gzipSync(Buffer.alloc(10_000_000)));
    const noise = await compressed(Buffer.from('{"display_name":"Acme"}'));

    expectRefusal(bomb, [413], { dialect: 'service' });
    expectRefusal(noise, [400], { dialect: 'service' });
  });

  it('is refused with an unknown content encoding', async () => {
    const { api } = await fresh();
    const request = api.post('/api/v1/organizations').set('content-encoding', 'rot13');

    const response = await raw(request, 'application/json', '{"display_name":"Acme"}');

    expectRefusal(response, [415], { dialect: 'service' });
  });

  it('keeps NUL and surrogate pairs unchanged', async () => {
    const { api } = await fresh();

    const created = await raw(
      api.post('/api/v1/organizations'),
      'application/json',
      '{"display_name":"a\\u0000b","external_id":"\\ud83d\\uDE00","metadata":{"key\\u0000":"\\u0000"}}',
    ).expect(201);

    const read = await api.get(`/api/v1/organizations/${created.body.organization.id}`).expect(200);
    expect(read.body.organization).toMatchObject({
      display_name: 'a\u0000b',
      external_id: '\u{1f600}',
      metadata: { 'key\u0000': '\u0000' },
    });
  });

  it('keeps a metadata key called __proto__ as a key', async () => {
    const { api } = await fresh();
    const text = '{"display_name":"Acme","metadata":{"__proto__":"value"}}';

    const created = await raw(api.post('/api/v1/organizations'), 'application/json', text).expect(201);

    const read = await api.get(`/api/v1/organizations/${created.body.organization.id}`).expect(200);
    expect(read.text).toContain('"metadata":{"__proto__":"value"}');
  });

  it('is not quoted in the error when it is malformed, as it can contain a secret', async () => {
    const { api } = await fresh();

    const response = await raw(
      api.post('/api/v1/connected_accounts'),
      'application/json',
      '{"api_key":"hush-hush"]',
    );

    expectRefusal(response, [400], { dialect: 'service' });
    expect(response.text).toContain('malformed JSON');
    expect(response.text).not.toContain('hush');
  });

  it('with thousands of unknown members leads to a warning header of limited length', async () => {
    const { api } = await fresh();
    const strangers = Object.fromEntries(Array.from({ length: 9_000 }, (_, i) => [`stranger_${i}`, i]));

    const response = await api
      .post('/api/v1/organizations')
      .send({ display_name: 'Acme', ...strangers })
      .expect(201);

    expect(response.headers['understudy-warnings']).toMatch(/^unknown: stranger_0, .{900,1000}\.\.\.$/);
  });
});
