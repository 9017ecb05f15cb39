import { describe, expect, it } from 'vitest';
import { operationsOf } from '../contract/bad-requests.ts';
import { expectRefusal } from '../contract/refusals.ts';
import { bootOnce } from '../support/boot.ts';
import { refusal, tooShort } from '../support/violations.ts';

const { same } = bootOnce();

const operations = operationsOf('openapi');
const templates = [...new Set(operations.map(({ template }) => template))];
const VERBS = ['get', 'put', 'post', 'delete', 'patch'] as const;

/** A path such as `/things/search` also matches `/things/{id}`. */
const isAt = (path: string, { template }: (typeof operations)[number]) =>
  new RegExp(`^${template.replaceAll('.', '\\.').replace(/\{[^}]+\}/g, '[^/]+')}$`).test(
    path.replace(/\?.*/, ''),
  );

/** Below the address of another protocol, errors have its form. */
function dialectBelow(template: string) {
  if (template.includes('/scim/v2/')) return 'scim';
  return template.startsWith('/mcp/') ? 'mcp' : 'service';
}

describe.each(templates)('%s', (template) => {
  it('refuses methods that the contract does not define and lists the allowed ones', async () => {
    const { api } = await same();
    const { path } = operations.find((operation) => operation.template === template)!;
    const known = [...new Set(operations.filter((each) => isAt(path, each)).map(({ verb }) => verb))];

    for (const verb of VERBS.filter((each) => !known.includes(each))) {
      const response = await api[verb](path);

      const dialect = dialectBelow(template);
      expectRefusal(response, [405], { dialect });
      if (dialect === 'service')
        expect(response.body.details).toEqual([
          expect.objectContaining({ error_code: 'METHOD_NOT_ALLOWED' }),
        ]);
      expect(response.headers['allow']).toBe(
        known
          .map((each) => each.toUpperCase())
          .toSorted()
          .join(', '),
      );
    }
  });
});

describe('a path that the contract does not define', () => {
  it.each([
    '/nowhere',
    '/api/v1/organisations',
    '/api/v2/organizations',
    '/api/v1/organizations//users',
    '//api/v1/organizations',
    '/api/v1/organizations/org_1/users/x/y',
    '/constructor',
    '/__proto__',
    '/%00',
    '/%E0%A4%A',
  ])('such as %s has another error code than a missing row', async (path) => {
    const { api } = await same();

    const unknown = await api.get(path);
    const missing = await api.get('/api/v1/organizations/org_404').expect(404);

    expectRefusal(unknown, [404], { dialect: 'service' });
    expect(unknown.body).toMatchObject({
      code: 5,
      message: `no operation has the path ${path}`,
      details: [{ error_code: 'ROUTE_NOT_FOUND' }],
    });
    expect(missing.body).toMatchObject({ code: 5, details: [{ error_code: 'RESOURCE_NOT_FOUND' }] });
  });

  it('answers HTML to a browser and JSON to other callers', async () => {
    const { anonymous } = await same();
    const accept = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
    const typed = '/nowhere/<b>';

    const page = await anonymous.get(typed).set({ accept }).expect(404);
    const others = [
      await anonymous.get(typed).set({ accept: 'application/json, text/html' }),
      await anonymous.get(typed).set({ accept: '*/*' }),
      await anonymous.post(typed).set({ accept }).send({}),
    ];

    expect(page.headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': expect.stringContaining("default-src 'none'"),
    });
    expect(page.text).toContain('<h1>Not found</h1>');
    expect(page.text).toContain('No operation has the path /nowhere/');
    expect(page.text).not.toContain('<b>');
    for (const other of others) expectRefusal(other, [404], { dialect: 'service' });
  });

  it('answers 404 without a token', async () => {
    const { anonymous } = await same();

    await anonymous.get('/api/v1/organisations').expect(404);
  });
});

it('reads a path that ends after its last slash as an empty id', async () => {
  const { api } = await same();

  const refused = await api.get('/api/v1/organizations:external/').expect(400);

  expect(refused.body).toEqual(refusal(tooShort(1)('external_id')));
});

it('does not include a path with a trailing slash, which is accepted', async () => {
  const { api } = await same();

  await api.get('/api/v1/organizations/').expect(200);
});
