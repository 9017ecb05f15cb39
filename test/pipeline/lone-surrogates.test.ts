import { mkdtempSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { operationsOf } from '../contract/bad-requests.ts';
import { agentFor, fieldsOf, raw } from '../contract/refusals.ts';
import { openFor } from '../server/grpc/support.ts';
import { askForToken, intercept } from '../interceptors/support.ts';
import { reader } from '../scenarios/support.ts';
import { boot, type Booted } from '../support/boot.ts';
import { receiver } from '../support/receiver.ts';

const json = 'application/json';
const ORGANIZATIONS = '/api/v1/organizations';
/** MCP servers read and check their messages themselves: packages/accounts/test/mcp/refusals.test.ts. */
const withJson = operationsOf('openapi').filter(
  ({ mediaType, dialect }) => mediaType === json && dialect !== 'mcp',
);

const hashOf = async ({ control }: Booted) =>
  (await control.get('/state/hash').expect(200)).body.hash as string;

const folder = () => mkdtempSync(join(tmpdir(), 'understudy-'));

describe('a lone surrogate in the body of a call', () => {
  it.each([
    ['a value', String.raw`{"display_name":"\ud800x"}`, 'display_name'],
    ['a low surrogate', String.raw`{"display_name":"x\uDFFF"}`, 'display_name'],
    ['both halves in the wrong order', String.raw`{"display_name":"\ude00\ud83d"}`, 'display_name'],
    ['a value of a map', String.raw`{"display_name":"A","metadata":{"a":"\ud800"}}`, 'metadata["a"]'],
    ['a key', String.raw`{"display_name":"A","metadata":{"k\ud800":"v"}}`, String.raw`metadata["k\ud800"]`],
    ['a value in a list', String.raw`{"display_name":"A","a":[{"b":"x"},{"b":"\udc00"}]}`, 'a[1].b'],
  ])('is refused as %s, with the path of the field', async (_, body, field) => {
    const booted = await boot();
    const before = await hashOf(booted);

    const refused = await raw(booted.api.post(ORGANIZATIONS), json, body).expect(400);

    expect(refused.body.message).toContain(`organization.${field} must not hold half of a surrogate pair`);
    expect(fieldsOf(refused)).toEqual([`organization.${field}`]);
    expect(await hashOf(booted)).toBe(before);
  });

  it.each(withJson.map(({ id, verb, path, wants }) => [id, verb, path, wants] as const))(
    'is refused by %s',
    async (_, verb, path, wants) => {
      const call = (await agentFor(await boot(), { wants }))[verb](path);

      const refused = await raw(call, json, String.raw`{"any":{"thing":"\ud800"}}`).expect(400);

      expect(fieldsOf(refused)[0]).toMatch(/(\bany|\["any"\])\.thing$/);
    },
  );

  it('is refused over Connect', async () => {
    const { understudy, token } = await boot();
    const url = await openFor(understudy);

    const refused = await fetch(`${url}/scalekit.v1.organizations.OrganizationService/CreateOrganization`, {
      method: 'POST',
      headers: { 'content-type': json, authorization: `Bearer ${token}` },
      body: String.raw`{"organization":{"display_name":"\ud800x"}}`,
    });

    expect(refused.status).toBe(400);
    expect(await refused.json()).toMatchObject({ code: 'invalid_argument' });
  });
});

describe('a lone surrogate in percent-encoding', () => {
  it('is refused in a path', async () => {
    const { api } = await boot();

    const refused = await api.get(`${ORGANIZATIONS}/org_%ED%A0%80`).expect(400);

    expect(refused.body.message).toBe('malformed percent-encoding in the path: org_%ED%A0%80');
  });

  it('is refused in a query with the name of the parameter', async () => {
    const { api } = await boot();

    const refused = await api.get(`${ORGANIZATIONS}?page_size=1&page_token=%ED%A0%80`).expect(400);

    expect(refused.body.message).toBe('malformed percent-encoding in the query: page_token');
  });

  it('is refused in a form with the name of the field', async () => {
    const { anonymous } = await boot();

    const refused = await raw(
      anonymous.post('/oauth/token'),
      'application/x-www-form-urlencoded',
      'grant_type=client_credentials&scope=%ED%A0%80',
    ).expect(400);

    expect(refused.body.error_description).toBe('malformed percent-encoding in the form: scope');
  });
});

describe('a lone surrogate in the control API', () => {
  it.each([
    ['a row', 'put', '/state/organizations/org_1', '{"display_name":"\\ud800"}', 'display_name'],
    [
      'the state',
      'put',
      '/state',
      '{"organizations":[{"id":"org_1","display_name":"\\ud800"}]}',
      'organizations[0].display_name',
    ],
    ['a change of a row', 'patch', '/state/settings/settings', '{"a":"\\udc00"}', 'a'],
    ['a scenario', 'post', '/scenarios', '{"name":"x","description":"\\ud800"}', 'description'],
    ['an environment', 'post', '/environments', '{"seed":"\\ud800"}', 'seed'],
    ['a snapshot', 'post', '/snapshots', '{"name":"\\ud800"}', 'name'],
    ['a verification', 'post', '/requests/verify', '{"match":{"path":"\\ud800"}}', 'match.path'],
  ] as const)('is refused in %s', async (_, verb, path, body, field) => {
    const booted = await boot();
    const before = await hashOf(booted);

    const refused = await raw(booted.control[verb](path), json, body).expect(400);

    expect(fieldsOf(refused)).toEqual([field]);
    expect(await hashOf(booted)).toBe(before);
  });

  it.each([String.raw`"\uD800"`, String.raw`"\U0000DC00"`])('is refused in YAML: %s', async (written) => {
    const { control } = await boot();
    const yaml = `name: odd\nrules:\n  - on: "*"\n    reply: { error: unavailable, message: ${written} }\n`;

    const refused = await raw(control.post('/scenarios'), 'application/yaml', yaml).expect(400);

    expect(refused.body.message).toContain('4:43: rules[0].reply.message: must not hold half');
  });
});

describe('a lone surrogate elsewhere', () => {
  it('is refused in a fixture with the path of the member', async () => {
    const file = join(folder(), 'odd.json');
    writeFileSync(file, String.raw`{"organizations":[{"id":"org_1","display_name":"\ud800"}]}`);

    await expect(boot({ fixture: file })).rejects.toThrow(
      `${file}: organizations[0].display_name must not hold half of a surrogate pair`,
    );
  });

  it('is refused in a scenario with its line', () => {
    const file = join(folder(), 'odd.yaml');
    writeFileSync(file, 'name: odd\ndescription: "\\ud800"\n');

    expect(() => reader.readFile(file)).toThrow(
      `${file}:2:14: description: must not hold half of a surrogate pair`,
    );
  });
});

it('is a failure of an interceptor that answers it', async () => {
  const booted = await boot();
  const { url } = await receiver((response: ServerResponse) =>
    response.writeHead(200).end(String.raw`{"decision":"DENY","error":{"message":"\ud800"}}`),
  );
  await intercept(booted.api, { api_url: url });

  await askForToken(booted);

  const [entry] = (await booted.control.get('/requests?limit=1').expect(200)).body.requests;
  expect(JSON.stringify(entry)).toContain('error.message must not hold half of a surrogate pair');
});

it('does not appear when the journal truncates a text', async () => {
  const { api, control } = await boot();
  const texts = ['a'.repeat(33_000), `b${'a'.repeat(33_000)}`];

  for (const text of texts)
    await api.post(ORGANIZATIONS).send({ display_name: text.replaceAll('a', '\u{1f600}') });

  const { text } = await control.get('/requests').expect(200);
  expect(text).not.toMatch(/\\ud[89a-f]/);
});
