import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { DISTORTIONS } from '../second-service/distortions.ts';
import { recordInto } from '../second-service/support.ts';
import { makeFolder, run, serve } from '../../../../test/support/process.ts';

const named = (...names: string[]) => DISTORTIONS.filter(({ name }) => names.includes(name));

describe('understudy drift', () => {
  it('says that a service does the same, in every format', async () => {
    const cwd = makeFolder();
    await recordInto(join(cwd, 'recording'), [], { seed: 3 });

    const text = await run(['drift', 'recording'], { cwd });
    const shape = await run(['drift', 'recording/shape.yaml'], { cwd });
    const json = await run(['drift', 'recording', '--format', 'json'], { cwd });

    expect(text).toMatchObject({ code: 0, stderr: '' });
    expect(text.stdout).toMatch(
      /^recording: of the exchanges, \d+ are the same, 0 differ, 0 unknown \(differences that mean nothing: /,
    );
    expect(shape).toMatchObject({ code: 0, stderr: '' });
    expect(shape.stdout).toMatch(
      /^recording\/shape\.yaml: of the answers, \d+ are the same, 0 differ, 0 unknown/,
    );
    expect(JSON.parse(json.stdout)).toMatchObject({
      source: 'recording',
      counts: { drift: 0, unknown: 0 },
      findings: [],
    });
  });

  it('reports what differs as text, JUnit, annotations and a page, and proposes a scenario', async () => {
    const cwd = makeFolder();
    await recordInto(join(cwd, 'recording'), named('another default', 'another message of an error'), {
      seed: 3,
    });
    const told = 'body.role.default_member is true, in Understudy false';

    const text = await run(['drift', 'recording', '--propose', 'proposed'], { cwd });
    const junit = await run(['drift', 'recording', '--out', 'drift.xml'], { cwd });
    const github = await run(['drift', 'recording', '--format', 'github'], { cwd });
    const page = await run(['drift', 'recording', '--out', 'drift.html', '--fail-on', 'breaking'], { cwd });

    expect(text).toMatchObject({ code: 1, stderr: `proposed: ${join('proposed', 'as-recorded.yaml')}\n` });
    expect(text.stdout).toContain(
      `notable   #27 RolesService_CreateRole: ${told}\n          contract: #/components/schemas/Role/properties/default_member\n`,
    );
    expect(text.stdout).toMatch(/^cosmetic {2}#29 RolesService_GetRole: body\.message is /m);
    expect(readFileSync(join(cwd, 'proposed/as-recorded.yaml'), 'utf8')).toContain(
      `  # #27 RolesService_CreateRole: ${told}\n`,
    );
    expect(junit).toMatchObject({ code: 1, stderr: 'the report is in drift.xml\n' });
    expect(readFileSync(join(cwd, 'drift.xml'), 'utf8')).toMatch(
      /<testcase classname="understudy\.drift" name="RolesService_CreateRole">\s*<failure type="value"/,
    );
    expect(github.stdout).toContain(
      `::error title=Understudy%3A value differs from the service::#27 RolesService_CreateRole: ${told}\n`,
    );
    expect(github.stdout).toContain('::warning title=Understudy%3A message differs from the service::');
    expect(page).toMatchObject({ code: 0, stdout: '' });
    expect(readFileSync(join(cwd, 'drift.html'), 'utf8')).toContain(told);
  });

  it('calls rows from before the recording unknown, and knows them from a fixture', async () => {
    const cwd = makeFolder();
    const before = '2024-05-01T10:00:00.000Z';
    const old = {
      id: 'org_40000000000000001',
      display_name: 'Older',
      create_time: before,
      update_time: before,
    };
    writeFileSync(join(cwd, 'rows.json'), JSON.stringify({ include: ['empty'], organizations: [old] }));
    await recordInto(join(cwd, 'recording'), [], { seed: 3, fixture: join(cwd, 'rows.json') });

    const without = await run(['drift', 'recording'], { cwd });
    const withRows = await run(['drift', 'recording', '--fixture', 'rows.json'], { cwd });

    expect(without).toMatchObject({ code: 0, stderr: '' });
    expect(without.stdout).toContain(
      'unknown   #10 OrganizationService_ListOrganization: body.organizations has 1 row from before the recording; ',
    );
    expect(without.stdout).toMatch(
      /unknown {3}#\d OrganizationService_ListOrganization: message\.organizations has 1 row from before /,
    );
    expect(without.stdout).toMatch(
      /, 0 differ, \d unknown .*\nThe service had rows before the recording began, /,
    );
    expect(withRows).toMatchObject({ code: 0, stdout: expect.stringContaining(', 0 differ, 0 unknown') });
  });

  it('plays a recording on a running Understudy, and asks it probes', async () => {
    const cwd = makeFolder();
    await recordInto(join(cwd, 'recording'), [], { seed: 3 });
    const service = await serve(['--fixture', 'empty']);
    writeFileSync(
      join(cwd, 'probes.yaml'),
      `# Mine.\n- rule: roles/none\n  steps:\n    - call: GET /api/v1/roles/nobody\n      expect: { status: 418 }\n`,
    );

    const played = await run(['drift', 'recording', '--against', service.url], { cwd });
    const asked = await run(['drift', 'probes.yaml', '--against', service.url], { cwd });

    expect(played).toMatchObject({ code: 0, stdout: expect.stringContaining('0 differ, 0 unknown') });
    expect(asked.code).toBe(1);
    expect(asked.stdout).toContain('notable   roles/none: ');
    expect(asked.stdout).toContain('expected status 418, was 404');
  });

  it('exits with 2 if the comparison cannot be made', async () => {
    const cwd = makeFolder();
    writeFileSync(join(cwd, 'notes.txt'), 'hello');

    const results = await Promise.all([
      run(['drift'], { cwd }),
      run(['drift', 'nothing'], { cwd }),
      run(['drift', '.'], { cwd }),
      run(['drift', 'notes.txt'], { cwd }),
      run(['drift', '--contract', 'https://acme.example/openapi.json'], { cwd }),
      run(['drift', '--wrong'], { cwd }),
    ]);

    expect(results.map(({ code, stdout }) => ({ code, stdout }))).toEqual(
      results.map(() => ({ code: 2, stdout: '' })),
    );
    expect(results.map(({ stderr }) => stderr)).toEqual([
      'understudy: name a recording, a shape or a file of probes, or with --contract a published document\n',
      expect.stringMatching(/^understudy: nothing: /),
      'understudy: .: it is not a recording: it has no recording.json, which understudy record writes\n',
      'understudy: notes.txt is no recording (a folder), no shape or probes (.yaml) and no answers of probes (.json)\n',
      'understudy: --contract must be a file: download https://acme.example/openapi.json first\n',
      "error: unknown option '--wrong'\n",
    ]);
  });
});
