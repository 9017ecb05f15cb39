// The report of a suite that starts its own service: vitest itself runs test files here, in a folder of their own.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { startUnderstudy } from 'understudy-server/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { eventuallyHolds, follow, makeFolder, run } from '../support/process.ts';

const CONFIG = `export default { test: { globalSetup: ['understudy-server/global-setup'] } };`;
const file = (status: number) => `
import { test } from 'understudy-server/vitest';
import { expect } from 'vitest';
test('calls', async ({ env }) => {
  const { status } = await fetch(env.url + '/keys', { headers: env.headers });
  expect(status).toBe(${status});
});
`;

/** Two test files, one of which fails. */
function suite(config: string): string {
  const folder = makeFolder();
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(resolve('.'), join(folder, 'node_modules', 'understudy-server'));
  symlinkSync(resolve('node_modules/vitest'), join(folder, 'node_modules', 'vitest'));
  writeFileSync(join(folder, 'vitest.config.mjs'), config);
  writeFileSync(join(folder, 'passes.test.mjs'), file(200));
  writeFileSync(join(folder, 'fails.test.mjs'), file(201));
  return folder;
}

function vitest(cwd: string, variables: Record<string, string>, mode = 'run') {
  const program = resolve('node_modules/vitest/vitest.mjs');
  const own = Object.entries(process.env).filter(
    ([name]) => !/^(VITEST|UNDERSTUDY_|NODE_|GITHUB_)/.test(name),
  );
  const env = { ...Object.fromEntries(own), NODE_ENV: 'test', ...variables } as NodeJS.ProcessEnv;
  const child = spawn(process.execPath, [program, mode, '--no-color'], { cwd, env });
  onTestFinished(() => void child.kill('SIGKILL'));
  return follow(child);
}

const totalIn = (folder: string, name: string) =>
  (JSON.parse(readFileSync(join(folder, name), 'utf8')) as { total: number }).total;

describe('a service that takes longer to start than a test may', () => {
  it('fails no test, because the start has a limit of its own', async () => {
    const folder = suite('export default { test: { testTimeout: 2000 } };');
    rmSync(join(folder, 'fails.test.mjs'));
    const service = await startUnderstudy();
    let refused = 0;
    // The helper asks ten times a second.
    const gate = createServer((asked, reply) => {
      if (refused++ < 40) {
        reply.writeHead(503).end();
        return;
      }
      const { method, url, headers } = asked;
      const passed = request(`${service.url}${url}`, { method, headers }, (answer) => {
        answer.pipe(reply.writeHead(answer.statusCode!, answer.headers));
      });
      asked.pipe(passed);
    }).listen(0, '127.0.0.1');
    await once(gate, 'listening');
    const { port } = gate.address() as AddressInfo;

    const { exited } = vitest(folder, { UNDERSTUDY_URL: `http://127.0.0.1:${port}` });

    expect(await exited).toMatchObject({ code: 0, stdout: expect.stringMatching(/Tests +1 passed/) });
    expect(refused).toBeGreaterThan(40);
    gate.close();
    await service.stop();
  });

  it('says why it cannot start', async () => {
    const folder = suite('export default {};');

    const { exited } = vitest(folder, { UNDERSTUDY_REPORT: 'run.html' });

    const { code, stderr } = await exited;
    expect(code).toBe(1);
    expect(stderr).toContain('UNDERSTUDY_REPORT is run.html, which needs one simulator for all test files');
  });
});

describe('UNDERSTUDY_REPORT', () => {
  it('names the reports of a run with one simulator for all files, also when a test fails', async () => {
    const folder = suite(CONFIG);
    const summary = join(folder, 'summary');

    const { exited } = vitest(folder, {
      UNDERSTUDY_REPORT: 'run.html, run.json,github',
      GITHUB_STEP_SUMMARY: summary,
    });

    expect((await exited).code).toBe(1);
    expect(totalIn(folder, 'run.json')).toBe(2);
    expect(readFileSync(join(folder, 'run.html'), 'utf8')).toContain('All 2 calls');
    expect(readFileSync(summary, 'utf8')).toMatch(/^### Understudy: 0 of 2 calls failed\n/);
  });

  it('is written at the end of a watch', async () => {
    const folder = suite(CONFIG);
    const { child, exited, line } = vitest(folder, { UNDERSTUDY_REPORT: 'run.json' }, 'watch');
    await line(/^.*Tests failed. Watching for file changes/m);
    writeFileSync(join(folder, 'fails.test.mjs'), file(200));
    await line(/^.*Waiting for file changes/m);

    child.kill('SIGINT');

    await exited;
    // vitest does not wait for the service here, which ends with it.
    await eventuallyHolds(() => expect(totalIn(folder, 'run.json')).toBeGreaterThanOrEqual(3));
  });

  it('needs a folder where each file has a simulator of its own, and the folder makes one report', async () => {
    const folder = suite('export default {};');
    const refused = await vitest(folder, { UNDERSTUDY_REPORT: 'run.html' }).exited;
    await vitest(folder, { UNDERSTUDY_REPORT: 'reports/' }).exited;
    const merged = await run(['report', 'reports', '--format', 'markdown'], { cwd: folder });

    expect(refused.stderr).toContain(
      "add 'understudy-server/global-setup' to the configuration as globalSetup",
    );
    expect(readdirSync(join(folder, 'reports'))).toHaveLength(2);
    expect(merged.stdout).toMatch(/^### Understudy: 0 of 2 calls failed\n/);
  });
});
