import { readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { boot, bootOnce, type Agent } from '../support/boot.ts';
import { folderWith, makeFolder } from '../scenarios/support.ts';

const { same } = bootOnce();
const DOWN = "name: down\n# kept\nrules:\n  - { on: '*', reply: { error: unavailable } }\n";

const put = (control: Agent, path: string, text: string) =>
  control.put(`/scenarios/${path}`).type('application/yaml').send(text);
const lint = async (text: string) => {
  const { control } = await same();
  return (await control.post('/scenarios/lint').type('application/yaml').send(text).expect(200)).body;
};

describe('Control_LintScenario', () => {
  it('finds no error in a valid scenario, and loads nothing', async () => {
    const { control } = await same();

    expect(await lint(DOWN)).toEqual({ complaints: [], warnings: [] });
    expect((await control.get('/scenarios').expect(200)).body.loaded).toEqual([]);
  });

  it('reports line and column of each error', async () => {
    const text = 'name: down\nrules:\n  - on: UserService_GetUsr\n    reply: { error: unavailible }\n';

    const { complaints } = await lint(text);

    expect(complaints).toMatchObject([
      { line: 3, column: 9, path: 'rules[0].on', message: expect.stringContaining('UserService_GetUser') },
      { line: 4, column: 21, path: 'rules[0].reply.error', message: expect.stringContaining('unavailable') },
    ]);
  });

  it('reports the position where the text is not YAML', async () => {
    const { complaints } = await lint('name: down\nrules: [\n');

    expect(complaints).toMatchObject([{ line: expect.any(Number), path: '' }]);
  });

  it('does not need the values of parameters', async () => {
    const text =
      'name: down\nparams: { who: { type: string } }\nrules:\n  - on: ${who}\n    reply: { error: unavailable }\n';

    expect((await lint(text)).complaints).toEqual([]);
  });

  it('warns about a rule that never applies', async () => {
    const rule = "  - { on: '*', reply: { error: unavailable } }\n";

    const { complaints, warnings } = await lint(`name: down\nrules:\n${rule}${rule}`);

    expect(complaints).toEqual([]);
    expect(warnings).toEqual([expect.stringContaining('never applied')]);
  });
});

describe('Control_GetScenarioFile', () => {
  it('responds with the text of a shipped scenario and of your own', async () => {
    const { control } = await boot({ scenarioFolders: [folderWith({ 'down.yaml': DOWN })] });

    const own = (await control.get('/scenarios/down/file').expect(200)).body;
    const shipped = (await control.get('/scenarios/rate-limit-once/file').expect(200)).body;

    expect(own).toMatchObject({ name: 'down', text: DOWN, is_own: true });
    expect(shipped).toMatchObject({ text: expect.stringContaining('name: rate-limit-once'), is_own: false });
  });

  it('suggests the nearest name for an unknown scenario', async () => {
    const { control } = await same();

    const { body } = await control.get('/scenarios/rate-limit-one/file').expect(404);

    expect(body.message).toContain('did you mean rate-limit-once');
  });
});

describe('Control_PutScenarioFile', () => {
  it('writes a file that can be loaded by its name', async () => {
    const folder = makeFolder();
    const { control } = await boot({ scenarioFolders: [folder] });

    const { body } = await put(control, 'down/file', DOWN).expect(200);

    expect(body).toEqual({ name: 'down', file: join(folder, 'down.yaml') });
    expect(readdirSync(folder)).toEqual(['down.yaml']);
    expect(readFileSync(join(folder, 'down.yaml'), 'utf8')).toBe(DOWN);
    await control.post('/scenarios').send({ name: 'down' }).expect(201);
  });

  it('replaces a file only with overwrite=true', async () => {
    const folder = folderWith({ 'down.yml': DOWN });
    const { control } = await boot({ scenarioFolders: [folder] });
    const changed = DOWN.replace('unavailable', 'internal');

    const { body } = await put(control, 'down/file', changed).expect(409);
    expect(body.message).toContain('overwrite=true');
    expect(readFileSync(join(folder, 'down.yml'), 'utf8')).toBe(DOWN);
    await put(control, 'down/file?overwrite=true', changed).expect(200);

    expect(readdirSync(folder)).toEqual(['down.yml']);
    expect(readFileSync(join(folder, 'down.yml'), 'utf8')).toBe(changed);
  });

  it('writes your own file with the name of a shipped scenario, which stays unchanged', async () => {
    const folder = makeFolder();
    const { control } = await boot({ scenarioFolders: [folder] });
    const text = DOWN.replace('name: down', 'name: rate-limit-once');

    const { body } = await put(control, 'rate-limit-once/file', text).expect(200);

    expect(body.file).toBe(join(folder, 'rate-limit-once.yaml'));
    const read = (await control.get('/scenarios/rate-limit-once/file').expect(200)).body;
    expect(read).toMatchObject({ text, is_own: true });
  });

  it('names the missing flag when there is no scenario folder', async () => {
    const { control } = await same();

    const { body } = await put(control, 'down/file', DOWN).expect(400);

    expect(body.message).toContain('start Understudy with --scenarios FOLDER');
  });

  it('refuses an invalid scenario, and one with another name', async () => {
    const folder = makeFolder();
    const { control } = await boot({ scenarioFolders: [folder] });

    const wrong = (await put(control, 'down/file', DOWN.replace('unavailable', 'unavailible')).expect(400))
      .body;
    const other = (await put(control, 'up/file', DOWN).expect(400)).body;

    expect(wrong.message).toContain('request body:4:');
    expect(other.message).toContain('the path has up, but the scenario has down');
    expect(readdirSync(folder)).toEqual([]);
  });

  it.each(['..%2Fdown', '%2Ftmp%2Fdown', '..', 'a%5Cb', '.hidden', 'a'.repeat(101)])(
    'accepts only a name, not a path: %s',
    async (name) => {
      const folder = makeFolder();
      const { control } = await boot({ scenarioFolders: [folder] });

      const { status } = await put(control, `${name}/file`, DOWN);

      expect([400, 404]).toContain(status);
      expect(readdirSync(folder)).toEqual([]);
    },
  );

  it('replaces a link instead of writing to its target', async () => {
    const outside = folderWith({ 'target.txt': 'precious' });
    const folder = makeFolder();
    symlinkSync(join(outside, 'target.txt'), join(folder, 'down.yaml'));
    writeFileSync(join(folder, 'other.yaml'), DOWN.replace('down', 'other'));
    const { control } = await boot({ scenarioFolders: [folder] });

    await put(control, 'down/file?overwrite=true', DOWN).expect(200);

    expect(readFileSync(join(outside, 'target.txt'), 'utf8')).toBe('precious');
    expect(readFileSync(join(folder, 'down.yaml'), 'utf8')).toBe(DOWN);
  });
});
