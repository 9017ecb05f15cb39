import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');

/** A program that uses every entry point and its types. */
const SAMPLE = `
import { ControlClient, ControlError, type Clock, type JournalEntry } from 'understudy-server/control';
import { connectUnderstudy, startUnderstudy, type Understudy } from 'understudy-server/testing';

export async function sample(): Promise<string> {
  await using sim: Understudy = await startUnderstudy({ seed: 7 });
  await using env = await sim.environment({
    clock: '2030-01-01T00:00:00Z',
    scenarios: [
      'invite-expired',
      { name: 'rate-limit-once', params: { retry_after: 5 } },
      { name: 'mine', rules: [{ on: 'OrganizationService_*', fault: { delay: '5ms' } }] },
    ],
  });
  const clock: Clock = await env.clock.advance('25h');
  const entries: JournalEntry[] = await env.requests.list({ status: '4xx' });
  const [organization] = await sim.state.list('organizations');
  const name: string | undefined = organization?.display_name;
  // @ts-expect-error -- no such collection
  await sim.state.list('organisations').catch((error: unknown) => error instanceof ControlError);
  // @ts-expect-error -- no such scenario
  await env.scenario('invite-expird').catch(() => {});
  // @ts-expect-error -- no such option
  await startUnderstudy({ fixtur: 'default' }).catch(() => {});
  const joined = await connectUnderstudy(sim.url);
  await new ControlClient(joined.url, { environment: env.name }).reset({ only: 'state' });
  return [clock.now, name, entries.length].join(' ');
}
`;
const RESULT = '2030-01-02T01:00:00.000Z Acme Corp 0\n';

/** A program for a browser, without Node's types and without disposal. */
const PAGE = `
import { ControlClient, type Clock } from 'understudy-server/control';
const clock: Promise<Clock> = new ControlClient(location.origin, { token: 'sesame' }).clock.get();
for (const button of document.querySelectorAll('button')) void clock.then(({ now }) => (button.title = now));
`;

/** A program that uses a scenario of the project. */
const OWN = `
import type { TestEnvironment } from 'understudy-server/testing';
export async function own(env: TestEnvironment): Promise<void> {
  await env.scenario('full-house', { seats: 3 });
  // @ts-expect-error -- a misspelt parameter
  await env.scenario('full-house', { seat: 3 });
}
`;

let folder: string;

/** Installs the published package, with nothing else but Node's types. */
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'understudy-test-'));
  const pack = ['pack', '--ignore-scripts', '--json', '--pack-destination', folder];
  const [{ filename }] = JSON.parse(execFileSync('npm', pack, { cwd: ROOT, encoding: 'utf8' }));
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'installer' })); // hides package.json files of parent folders
  const installed = join(folder, 'node_modules/understudy-server');
  mkdirSync(installed, { recursive: true });
  execFileSync('tar', ['-xzf', join(folder, filename), '-C', installed, '--strip-components', '1']);
  mkdirSync(join(folder, 'node_modules/@types'));
  for (const types of ['@types/node', 'undici-types'])
    symlinkSync(join(ROOT, 'node_modules', types), join(folder, 'node_modules', types));
  return () => rmSync(folder, { recursive: true });
});

const node = (...args: string[]) => execFileSync(process.execPath, args, { cwd: folder, encoding: 'utf8' });

/** The errors of the TypeScript compiler. */
function complaints(...flags: string[]): string {
  const strict = ['--strict', '--exactOptionalPropertyTypes', '--pretty', 'false', '--target', 'ES2022'];
  try {
    return node(join(ROOT, 'node_modules/typescript/bin/tsc'), ...strict, ...flags);
  } catch (thrown) {
    return (thrown as { stdout: string }).stdout;
  }
}

describe('a program that uses the installed package', () => {
  it.each([
    ['node16', 'sample.mts', 'sample.mjs'],
    ['nodenext', 'sample.cts', 'sample.cjs'],
    ['esnext --moduleResolution bundler', 'sample.ts', 'sample.js'],
    ['commonjs --moduleResolution node10', 'sample.ts', 'sample.js'],
  ])('compiles with --module %s from %s, and runs', (module, source, program) => {
    const out = `out-${module.replace(/\W+/g, '-')}`;
    mkdirSync(join(folder, out), { recursive: true });
    const type = module.startsWith('esnext') ? 'module' : 'commonjs';
    writeFileSync(join(folder, out, 'package.json'), JSON.stringify({ type }));
    writeFileSync(join(folder, source), SAMPLE);
    const libraries = ['--lib', 'ES2022', '--types', 'node'];

    expect(complaints('--module', ...module.split(' '), ...libraries, '--outDir', out, source)).toBe('');

    const run = `import('./${out}/${program}').then((made) => made.sample()).then(console.log)`;
    expect(node('--eval', run)).toBe(RESULT);
  });

  it("compiles for a browser without Node's types", () => {
    writeFileSync(join(folder, 'page.ts'), PAGE);
    const shape = ['--module', 'esnext', '--moduleResolution', 'bundler', '--lib', 'ES2022,DOM,DOM.Iterable'];

    expect(complaints(...shape, '--typeRoots', 'none', '--noEmit', 'page.ts')).toBe('');
  });

  it("compiles with the project's own scenarios, which `understudy types` declares", () => {
    mkdirSync(join(folder, 'scenarios'));
    const scenario = 'name: full-house\nparams: { seats: 2 }\nclock: { mode: offset, offset: "${seats}h" }\n';
    writeFileSync(join(folder, 'scenarios', 'full-house.yaml'), scenario);
    writeFileSync(join(folder, 'own.ts'), OWN);
    const compile = () =>
      complaints(
        '--module',
        'nodenext',
        '--lib',
        'ES2022',
        '--types',
        'node',
        '--noEmit',
        'own.ts',
        ...declared,
      );
    const declared: string[] = [];

    expect(compile()).toContain('"full-house"');

    const program = 'node_modules/understudy-server/dist/understudy.js';
    node(program, 'types', '--scenarios', 'scenarios', '--out', 'understudy.d.ts');
    declared.push('understudy.d.ts');
    expect(compile()).toBe('');
  });

  it('has the command under the name of the package, and under a short one', () => {
    const { bin, name } = JSON.parse(
      readFileSync(join(folder, 'node_modules/understudy-server/package.json'), 'utf8'),
    ) as { bin: Record<string, string>; name: string };

    expect(Object.keys(bin).toSorted()).toEqual(['understudy', name]);
    for (const file of Object.values(bin))
      expect(node(join('node_modules/understudy-server', file), '--version')).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  it('gets the same classes from both entry points, and can read package.json', () => {
    const text = `
      const testing = require('understudy-server/testing');
      const { ControlClient } = require('understudy-server/control');
      testing.startUnderstudy({ mode: 'child-process' }).then(async (sim) => {
        console.log(sim.control instanceof ControlClient, require('understudy-server/package.json').name);
        await sim.stop();
      });`;

    expect(node('--eval', text)).toBe('true understudy-server\n');
  });
});
