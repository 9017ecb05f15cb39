import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeFolder, run } from '../support/process.ts';

const GOOD = 'name: good\nrules:\n  - on: ToolService_ExecuteTool\n    reply: { error: tool_error }\n';
const WRONG = 'name: wrong\nrules:\n  - on: ToolService_ExecuteTool\n    reply: { error: tol_error }\n';

function folderWith(files: Record<string, string>): string {
  const folder = makeFolder();
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

describe('understudy scenarios lint', () => {
  it('finds nothing in the scenarios of the package', async () => {
    const folder = join(process.cwd(), 'scenarios');
    const files = readdirSync(folder).filter((file) => file.endsWith('.yaml'));

    const { code, stdout } = await run(['scenarios', 'lint', ...files], { cwd: folder });

    expect(code).toBe(0);
    expect(stdout).toBe(files.map((file) => `${file}: good\n`).join(''));
  });

  it('names file, line and column of a mistake, and exits with 1', async () => {
    const cwd = folderWith({ 'good.yaml': GOOD, 'wrong.yaml': WRONG });

    const { code, stdout, stderr } = await run(['scenarios', 'lint', 'good.yaml', 'wrong.yaml'], { cwd });

    expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
    expect(stdout).toMatch(
      /^good\.yaml: good\nwrong\.yaml:4:21: rules\[0\]\.reply\.error: .*tool_error.*\n$/,
    );
  });

  it('names every mistake, one a line', async () => {
    const cwd = folderWith({ 'wrong.json': '{\n  "name": "wrong",\n  "rulse": [],\n  "clock": 7\n}\n' });

    const { code, stdout } = await run(['scenarios', 'lint', 'wrong.json'], { cwd });

    expect(code).toBe(1);
    expect(stdout).toMatch(/^wrong\.json:3:3: rulse: .*rules.*\nwrong\.json:4:12: clock: .*\n$/);
  });

  it('names a file that is not there', async () => {
    const { code, stdout } = await run(['scenarios', 'lint', 'nowhere.yaml']);

    expect(code).toBe(1);
    expect(stdout).toMatch(/^nowhere\.yaml: ENOENT: no such file or directory.*\n$/);
  });

  it('wants at least one file', async () => {
    expect(await run(['scenarios', 'lint'])).toMatchObject({
      code: 1,
      stderr: "error: missing required argument 'files'\n",
    });
  });
});
