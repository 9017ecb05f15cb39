import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeFolder, run } from '../../../test/support/process.ts';

const SEATS_TAKEN = `name: seats-taken
description: "Every seat */ of an organization is taken."
params:
  organization_id: { type: string, description: Its id. }
  wait: 5s
  mode: { default: before, enum: [before, reset] }
  operation: UserService_*
  event: { default: user.login }
  times: { type: integer, optional: true }
rules:
  - on: \${operation}
    times: \${times}
    when: { path: { id: '\${organization_id}' } }
    fault: { delay: '\${wait}', disconnect: '\${mode}' }
  - on: webhook.\${event}
    deliver: { drop: true }
`;

const DECLARED = `// Written by \`understudy types\`. Run it again when a scenario or a fixture changes.

interface UnderstudyScenarios {
  "plain": Record<string, never>;
  /** Every seat * / of an organization is taken. */
  "seats-taken": {
    /** Its id. */
    organization_id: string;
    wait?: import('understudy-server/control').DurationText;
    mode?: "before" | "reset";
    operation?: import('understudy-server/control').RulePattern;
    event?: import('understudy-server/control').EventPattern;
    times?: number | null;
  };
}

interface UnderstudyFixtures {
  "our-customers": unknown;
}
`;

function project(scenario: string): string {
  const cwd = makeFolder();
  mkdirSync(join(cwd, 'scenarios'));
  mkdirSync(join(cwd, 'fixtures'));
  writeFileSync(join(cwd, 'scenarios', 'seats-taken.yaml'), scenario);
  writeFileSync(join(cwd, 'scenarios', 'plain.yaml'), 'name: plain\nclock: { mode: frozen }\n');
  writeFileSync(join(cwd, 'fixtures', 'our-customers.json'), '{}');
  return cwd;
}

describe('understudy types', () => {
  it('declares the scenarios and the fixtures of folders', async () => {
    const cwd = project(SEATS_TAKEN);
    const folders = ['--scenarios', 'scenarios', '--fixtures', 'fixtures'];

    const printed = await run(['types', ...folders], { cwd });
    const written = await run(['types', ...folders, '--out', 'understudy.d.ts'], { cwd });

    expect(printed).toMatchObject({ code: 0, stdout: DECLARED, stderr: '' });
    expect(written).toMatchObject({ code: 0, stdout: '', stderr: '' });
    expect(readFileSync(join(cwd, 'understudy.d.ts'), 'utf8')).toBe(DECLARED);
  });

  it('names each error of an invalid scenario, and writes nothing', async () => {
    const cwd = project(`${SEATS_TAKEN}ruls: []\n`);

    const { code, stderr } = await run(['types', '--scenarios', 'scenarios', '--out', 'types.d.ts'], { cwd });

    expect(code).toBe(1);
    expect(stderr).toMatch(/scenarios\/seats-taken\.yaml:17:1: ruls: .*rules/);
    expect(existsSync(join(cwd, 'types.d.ts'))).toBe(false);
  });

  it.each([
    [
      ['types'],
      'name the folders of your scenarios and fixtures: --scenarios FOLDER, --fixtures FOLDER, or both',
    ],
    [['types', '--scenarios', 'nowhere'], '--scenarios nowhere: no such folder'],
    [['types', '--fixtures', 'nowhere'], '--fixtures nowhere: no such folder'],
  ])('%j exits with 1 and says why', async (args, why) => {
    expect(await run(args)).toMatchObject({ code: 1, stdout: '', stderr: `understudy: ${why}\n` });
  });

  it('has its flags completed', async () => {
    expect((await run(['complete', '--', 'types', '--'])).stdout).toContain('--scenarios');
  });
});
