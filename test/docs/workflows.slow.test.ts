import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { follow, makeFolder, PROGRAM, serve, type Exit, type Service } from '../support/process.ts';

const ACTIONLINT = 'github.com/rhysd/actionlint/cmd/actionlint@v1.7.7';
const PAGE = join(import.meta.dirname, '../../docs/drift.md');

const workflow = /```yaml\n(name: drift\n[^]*?)```/.exec(readFileSync(PAGE, 'utf8'))![1]!;

interface Step {
  if?: string;
  run?: string;
}

const { steps } = (parse(workflow) as { jobs: { drift: { steps: Step[] } } }).jobs.drift;
const recording = steps.findIndex(({ run = '' }) => /\bunderstudy-server record\b/.test(run));

const lint = (args: string[], cwd?: string) =>
  spawnSync('go', ['run', ACTIONLINT, ...args], { encoding: 'utf8', timeout: 240_000, cwd });

it('the workflow that users copy has no mistake that actionlint knows', { timeout: 300_000 }, ({ skip }) => {
  if (lint(['-version']).status !== 0) skip('Go is not there, or cannot fetch actionlint');
  const cwd = makeFolder();
  const folder = join(cwd, '.github/workflows');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'drift.yml'), workflow);

  const { status, stdout } = lint(['-no-color', join(folder, 'drift.yml')]);

  expect({ status, stdout }).toEqual({ status: 0, stdout: '' });
});

describe('the step of the workflow that records', () => {
  const READS = `fetch(process.env.SCALEKIT_ENVIRONMENT_URL + '/api/v1/organizations/org_1')`;

  it('ends, and leaves a whole recording', async () => {
    const { exit, recorded } = await recordedBy(`await ${READS};`);

    expect(exit).toMatchObject({ code: 0, signal: null });
    expect(exit.stderr).toContain('recording: 1 exchange written');
    expect(recorded('shape.yaml')).toContain('OrganizationService_GetOrganization');
  });

  it('fails after a failed test, and ends the recorder', async () => {
    const { exit, recorded } = await recordedBy(`await ${READS}; process.exit(3);`);

    expect(exit.code).toBe(3);
    expect(recorded('shape.yaml')).toContain('OrganizationService_GetOrganization');
  });

  it('fails after an exchange that is not written, and the next step compares nevertheless', async () => {
    const { exit } = await recordedBy(
      `await fetch(process.env.SCALEKIT_ENVIRONMENT_URL + '/api/v1/organizations?thing=q7Zr0vK3mXw9TyB1nLd4');`,
    );

    expect(exit).toMatchObject({ code: 1, signal: null });
    expect(exit.stderr).toContain('0 exchanges written, 1 exchange not written');
    expect(steps.slice(recording + 1).map((step) => step.if)).toEqual(['always()', 'always()', 'always()']);
  });
});

/** Runs the lines as GitHub does, in a project whose tests are this code. Only the port differs. */
async function recordedBy(code: string) {
  const cwd = makeFolder();
  const service = await serve();
  mkdirSync(join(cwd, 'node_modules/.bin'), { recursive: true });
  symlinkSync(PROGRAM, join(cwd, 'node_modules/.bin/understudy-server'));
  writeFileSync(join(cwd, 'tests.mjs'), code);
  writeFileSync(
    join(cwd, 'package.json'),
    JSON.stringify({ scripts: { 'test:scalekit': 'node tests.mjs' } }),
  );
  const lines = steps[recording]!.run!.replace('understudy record', '$& --port 0');
  const exit = await bash(lines, cwd, service);
  return { exit, recorded: (file: string) => readFileSync(join(cwd, 'recording', file), 'utf8') };
}

function bash(lines: string, cwd: string, service: Service): Promise<Exit> {
  const args = ['--noprofile', '--norc', '-eo', 'pipefail', '-c', lines];
  const env = { ...process.env, SCALEKIT_ENVIRONMENT_URL: service.url };
  return follow(spawn('bash', args, { cwd, env })).exited;
}
