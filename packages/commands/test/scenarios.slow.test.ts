import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeFolder, run, serve, type Service } from '../../../test/support/process.ts';

const GOOD = 'name: good\nrules:\n  - on: ToolService_ExecuteTool\n    reply: { error: tool_error }\n';
const WRONG = 'name: wrong\nrules:\n  - on: ToolService_ExecuteTool\n    reply: { error: tol_error }\n';

function folderWith(files: Record<string, string>): string {
  const folder = makeFolder();
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

describe('understudy scenarios lint', () => {
  it('finds no error in the shipped scenarios', async () => {
    const folder = join(process.cwd(), 'scenarios');
    const files = readdirSync(folder).filter((file) => file.endsWith('.yaml'));

    const { code, stdout } = await run(['scenarios', 'lint', ...files], { cwd: folder });

    expect(code).toBe(0);
    expect(stdout).toBe(files.map((file) => `${file}: good\n`).join(''));
  });

  it('reports file, line and column of an error, and exits with 1', async () => {
    const cwd = folderWith({ 'good.yaml': GOOD, 'wrong.yaml': WRONG });

    const { code, stdout, stderr } = await run(['scenarios', 'lint', 'good.yaml', 'wrong.yaml'], { cwd });

    expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
    expect(stdout).toMatch(
      /^good\.yaml: good\nwrong\.yaml:4:21: rules\[0\]\.reply\.error: .*tool_error.*\n$/,
    );
  });

  it('reports every error, one per line', async () => {
    const cwd = folderWith({ 'wrong.json': '{\n  "name": "wrong",\n  "rulse": [],\n  "clock": 7\n}\n' });

    const { code, stdout } = await run(['scenarios', 'lint', 'wrong.json'], { cwd });

    expect(code).toBe(1);
    expect(stdout).toMatch(/^wrong\.json:3:3: rulse: .*rules.*\nwrong\.json:4:12: clock: .*\n$/);
  });

  it('warns about a rule that never applies, and accepts the file', async () => {
    const cwd = folderWith({
      'twice.yaml': GOOD.replace('good', 'twice') + GOOD.slice(GOOD.indexOf('  - on')),
    });

    const { code, stdout } = await run(['scenarios', 'lint', 'twice.yaml'], { cwd });

    expect(code).toBe(0);
    expect(stdout).toMatch(/^twice\.yaml:5:5: rules\[1\]: warning: never applied: rules\[0\] .*\n$/);
  });

  it('reports a missing file', async () => {
    const { code, stdout } = await run(['scenarios', 'lint', 'nowhere.yaml']);

    expect(code).toBe(1);
    expect(stdout).toMatch(/^nowhere\.yaml: no such file\n$/);
  });

  it('requires at least one file', async () => {
    expect(await run(['scenarios', 'lint'])).toMatchObject({
      code: 1,
      stderr: "error: missing required argument 'files'\n",
    });
  });
});

describe('scenario folders', () => {
  const INCLUDING = 'name: own\ninclude: [good]\n';

  it('are searched by lint for included scenarios', async () => {
    const [cwd, more] = [folderWith({ 'own.yaml': INCLUDING }), folderWith({ 'good.yaml': GOOD })];

    const alone = await run(['scenarios', 'lint', 'own.yaml'], { cwd });
    const found = await run(['scenarios', 'lint', '--scenarios', more, 'own.yaml'], { cwd });

    expect(alone).toMatchObject({
      code: 1,
      stdout: 'own.yaml:2:11: include[0]: unknown scenario good\n',
    });
    expect(found).toMatchObject({ code: 0, stdout: 'own.yaml: good\n' });
  });

  it('are set by --scenarios, or by UNDERSTUDY_SCENARIOS with commas', async () => {
    const [first, second] = [folderWith({ 'own.yaml': INCLUDING }), folderWith({ 'good.yaml': GOOD })];
    const flags = await serve(['--scenarios', first, '--scenarios', second, '--scenario', 'own']);
    const variables = { UNDERSTUDY_SCENARIOS: `${first},${second}`, UNDERSTUDY_SCENARIO: 'own,good' };
    const told = await serve([], { variables });

    const loadedBy = async ({ control }: Service) =>
      (await control.get('/scenarios').expect(200)).body.loaded;

    expect(await loadedBy(flags)).toMatchObject([{ name: 'own', rules: [{ from: 'good' }] }]);
    expect(await loadedBy(told)).toMatchObject([{ name: 'own' }, { name: 'good' }]);
  });

  it('that do not exist stop the start with one line', async () => {
    const { code, stderr } = await run(['--memory', '--port', '0', '--scenarios', './nowhere']);

    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: 'understudy: --scenarios ./nowhere: no such folder\n',
    });
  });

  it('stop the start with one line when a parameter of a scenario is invalid', async () => {
    const { code, stderr } = await run(['--memory', '--port', '0', '--scenario', 'rate-limit-once,time=3']);

    expect({ code, stderr }).toEqual({
      code: 1,
      stderr:
        'understudy: --scenario rate-limit-once,time=3: params.time: scenario rate-limit-once has no parameter time; did you mean times?\n',
    });
  });
});
