import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { answersOfLists, comparable } from '../../../../test/support/lists.ts';
import { makeFolder, run, serve, type Service } from '../../../../test/support/process.ts';

/** What the fixture `small` does not have: more than a page of organizations, and the rarer members. */
const MORE = {
  include: ['small', 'many'],
  organizations: [
    {
      id: 'org_10000000000000099',
      display_name: 'Branded',
      default_member_role_id: 'role_10000000000000001',
      branding: { source: 'BRANDING_SOURCE_CUSTOM', customization_settings: { application_name: 'Acme' } },
    },
  ],
  members: [{ id: 'mem_10000000000000901', email: 'ops@acme.example', first_name: 'Olga' }],
  domains: [
    {
      id: 'dom_10000000000000299',
      organization_id: 'org_10000000000000099',
      domain: 'branded.example',
      verification_status: 'VERIFIED',
    },
  ],
  connections: [
    {
      id: 'conn_10000000000000299',
      organization_id: 'org_10000000000000099',
      provider: 'OKTA',
      provider_key: 'OKTA',
      type: 'SAML',
      domain_ids: [],
    },
  ],
  token_templates: [{ id: 'token_template', template: { plan: '{{ organization.metadata.plan }}' } }],
};

const frozen = { mode: 'frozen', at: '2026-12-01T09:00:00Z' };

async function serveAt(fixture: string, cwd: string): Promise<Service> {
  const service = await serve(['--fixture', fixture, '--fixtures', '.'], { cwd });
  await service.control.put('/clock').send(frozen).expect(200);
  return service;
}

async function answersOf(service: Service): Promise<unknown> {
  const api = await service.login();
  const answers = await answersOfLists(async (call) => {
    const { status, body } = await api.get(call);
    return { status, body: body as unknown };
  });
  return comparable(answers);
}

describe('understudy pull', () => {
  it('writes a fixture with which another process answers the same lists', async () => {
    const cwd = makeFolder();
    const many = [
      'fixtures',
      'generate',
      '--organizations',
      '120',
      '--users',
      '3',
      '--out',
      'generated.json',
    ];
    expect(await run(many, { cwd })).toMatchObject({ code: 0 });
    const {
      include: _,
      settings: __,
      ...rows
    } = JSON.parse(readFileSync(join(cwd, 'generated.json'), 'utf8')) as Record<string, unknown>;
    writeFileSync(join(cwd, 'many.json'), JSON.stringify(rows));
    writeFileSync(join(cwd, 'more.json'), JSON.stringify(MORE));
    const source = await serveAt('more', cwd);
    const args = ['pull', '--from', source.url, '--out', 'pulled.json', '--keep', '*', '--pace', '0ms'];

    const pulled = await run(args, { cwd });

    expect(pulled).toMatchObject({ code: 0, stdout: '' });
    expect(pulled.stderr).toMatch(/^UserService_ListUsers: 367 rows of users so far$/m);
    expect(pulled.stderr).toMatch(/pulled\.json: 1 settings, 124 organizations, 367 users, /);
    const expected = await answersOf(source);
    const copy = await serveAt('pulled', cwd);
    expect(await answersOf(copy)).toEqual(expected);
  });

  it('refuses what it cannot do with one line', async () => {
    const cwd = makeFolder();

    const unnamed = await run(['pull'], { cwd });
    const path = await run(['pull', '--from', 'http://localhost:1/api', '--out', 'pulled.json'], { cwd });
    const pace = await run(['pull', '--out', 'pulled.json', '--pace', 'slow'], { cwd });

    expect(unnamed).toMatchObject({
      code: 1,
      stderr: "error: required option '--out <file>' not specified\n",
    });
    expect(path).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^understudy: --from must be the address of an environment, .*\n$/),
    });
    expect(pace).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('It must be a duration such as 200ms.'),
    });
  });
});
