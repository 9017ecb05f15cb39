import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Config } from '../../src/start/config.ts';
import { boot } from '../support/boot.ts';

const SECRET = 'hush-hush';

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'fixtures-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const { settings } = JSON.parse(readFileSync('fixtures/empty.json', 'utf8'));

const organization = (display_name: string) => ({
  id: 'org_20000000000000001',
  display_name,
  region_code: 'US',
  create_time: 'now',
  update_time: 'now',
  metadata: {},
});

const fixtureOf = (display_name: string, more: object = {}) =>
  JSON.stringify({ include: ['catalogue'], settings, organizations: [organization(display_name)], ...more });

/** A folder of fixtures, whose parent folder has files that must not be readable. */
function folders() {
  const outside = makeFolder();
  const folder = join(outside, 'own');
  mkdirSync(join(folder, 'below'), { recursive: true });
  writeFileSync(join(outside, 'secret.json'), `${SECRET}\n`);
  writeFileSync(join(outside, 'good.json'), fixtureOf('Outside'));
  writeFileSync(join(folder, 'mine.json'), fixtureOf('Mine'));
  writeFileSync(join(folder, 'below', 'deep.json'), fixtureOf('Deep'));
  return { outside, folder };
}

async function booted(config: Partial<Config>) {
  const { control } = await boot(config);
  const make = (fixture: string) => control.post('/environments').send({ name: 'red', fixture });
  const namesOf = async (environment: string) => {
    const { body } = await control.get(`/environments/${environment}/state/organizations`).expect(200);
    return body.rows.map(({ display_name }: { display_name: string }) => display_name);
  };
  return { control, make, namesOf };
}

interface Refused {
  body: {
    message: string;
    details: { validation_error_info?: { field_violations: { field: string; description: string }[] } }[];
  };
}

const violationOf = ({ body }: Refused) => body.details[0]!.validation_error_info?.field_violations[0];

describe('a fixture name in the control API', () => {
  it('is looked up in the --fixtures folders in their order, before the shipped fixtures', async () => {
    const { folder } = folders();
    const other = makeFolder();
    writeFileSync(join(other, 'mine.json'), fixtureOf('Other'));
    writeFileSync(join(other, 'default.json'), fixtureOf('Hiding', { include: ['empty'], settings: [] }));
    const { make, namesOf, control } = await booted({ fixtureFolders: [folder, other] });

    await make('mine').expect(201);
    await control.post('/environments').send({ name: 'blue', fixture: 'default' }).expect(201);
    await control
      .put('/state')
      .send({ include: ['mine'] })
      .expect(204);

    expect(await namesOf('red')).toEqual(['Mine']);
    expect(await namesOf('blue')).toEqual(['Hiding']);
    expect(await namesOf('default')).toEqual(['Mine']);
  });

  it('that a fixture includes itself means the next fixture of that name', async () => {
    const folder = makeFolder();
    writeFileSync(
      join(folder, 'empty.json'),
      JSON.stringify({ include: ['empty'], organizations: [organization('More')] }),
    );
    const { make, namesOf } = await booted({ fixtureFolders: [folder] });

    await make('empty').expect(201);

    expect(await namesOf('red')).toEqual(['More']);
  });

  it.each([
    '/etc/passwd',
    '../secret.json',
    '../secret',
    '..\\secret',
    '../good',
    'below/deep',
    './mine',
    'mine.json',
    '..',
    '.',
    '/dev/zero',
    'fixtures/default.json',
    'mine\0',
    '\0/../../secret',
  ])('cannot be a path, such as %j', async (path) => {
    const { folder } = folders();
    const { make, control } = await booted({ fixtureFolders: [folder] });

    const created = await make(path).expect(400);
    const put = await control
      .put('/state')
      .send({ include: ['empty', path] })
      .expect(400);

    expect(violationOf(created)).toMatchObject({
      field: 'fixture',
      description: expect.stringContaining('name'),
    });
    expect(violationOf(put)).toMatchObject({
      field: 'include[1]',
      description: expect.stringContaining('it must be the name of a fixture, not a path'),
    });
    for (const { text } of [created, put]) expect(text).not.toMatch(/root:|hush/);
    await control.get('/environments/red').expect(404);
  });

  it('gets a suggestion when it is a path', async () => {
    const { folder } = folders();
    const { make } = await booted({ fixtureFolders: [folder] });

    expect(violationOf(await make('./fixtures/defalt.json').expect(400))?.description).toContain(
      'did you mean default?',
    );
    expect(violationOf(await make(join(folder, 'mine.json')).expect(400))?.description).toContain(
      'did you mean mine?',
    );
  });

  it('cannot be a path that the command line uses', async () => {
    const { outside } = folders();
    const path = join(outside, 'good.json');
    const { make, control, namesOf } = await booted({ fixture: path });

    await make(path).expect(400);
    await control.post('/environments').send({ name: 'blue' }).expect(201);

    expect(await namesOf('blue')).toEqual(['Outside']);
  });

  it('cannot be a link out of the folder; a link within the folder works', async () => {
    const { outside, folder } = folders();
    symlinkSync(join(outside, 'good.json'), join(folder, 'leaving.json'));
    symlinkSync('/etc/passwd', join(folder, 'passwords.json'));
    symlinkSync('nowhere.json', join(folder, 'dangling.json'));
    symlinkSync(join('below', 'deep.json'), join(folder, 'staying.json'));
    const { make, control, namesOf } = await booted({ fixtureFolders: [folder] });

    for (const name of ['leaving', 'passwords', 'dangling']) {
      const refused = await make(name).expect(400);
      expect(violationOf(refused)?.description).toContain(
        `${name}.json is a link that leads out of its folder`,
      );
      await control
        .put('/state')
        .send({ include: [name] })
        .expect(400);
    }
    await make('staying').expect(201);
    expect(await namesOf('red')).toEqual(['Deep']);
  });

  it('must be a regular file: a pipe or a folder is refused at once', async () => {
    const { folder } = folders();
    execFileSync('mkfifo', [join(folder, 'pipe.json'), join(folder, 'below', 'pipe')]);
    mkdirSync(join(folder, 'folder.json'));
    symlinkSync(join('below', 'pipe'), join(folder, 'linked.json'));
    const { make } = await booted({ fixtureFolders: [folder] });

    expect((await make('pipe').expect(400)).body.message).toContain('pipe.json is not a regular file');
    expect((await make('folder').expect(400)).body.message).toContain('folder.json is not a regular file');
    expect((await make('linked').expect(400)).body.message).toContain(
      'it is a named pipe, not a regular file',
    );
  });

  it.each([
    ['not JSON', `${SECRET}\n`],
    ['incomplete JSON', `{"settings": [{"${SECRET}": `],
    ['an object but not a fixture', JSON.stringify({ token: SECRET, [SECRET]: 1 })],
    ['a list', JSON.stringify([SECRET])],
    ['a text', JSON.stringify(SECRET)],
  ])('shows nothing of a file that is %s', async (_, text) => {
    const { folder } = folders();
    writeFileSync(join(folder, 'other.json'), text);
    const { make, control } = await booted({ fixtureFolders: [folder] });

    const created = await make('other').expect(400);
    const put = await control
      .put('/state')
      .send({ include: ['other'] })
      .expect(400);

    for (const refused of [created, put]) {
      expect(refused.text).not.toContain('hush');
      expect(refused.text).not.toContain('token');
      expect(refused.body.message).toMatch(/other\.json(:1:[0-9]+)?: /);
    }
  });

  it('of an invalid fixture gets the error of the file', async () => {
    const { folder } = folders();
    writeFileSync(join(folder, 'mine.json'), fixtureOf('Mine', { usres: [] }));
    const { make } = await booted({ fixtureFolders: [folder] });

    const { body } = await make('mine').expect(400);

    expect(body.message).toContain(': usres: no such collection; did you mean users?');
  });

  it("in a fixture's include cannot be a path", async () => {
    const { folder } = folders();
    writeFileSync(join(folder, 'climbing.json'), fixtureOf('Climbing', { include: ['../good.json'] }));
    const { make } = await booted({ fixtureFolders: [folder] });

    const refused = await make('climbing').expect(400);

    expect(violationOf(refused)).toMatchObject({ field: 'include[0]' });
    expect(refused.body.message).toContain('it must be the name of a fixture, not a path');
  });

  it('can include at most 100 others', async () => {
    const folder = makeFolder();
    writeFileSync(join(folder, 'nothing.json'), JSON.stringify({ organizations: [] }));
    const { control } = await booted({ fixtureFolders: [folder] });
    const include = Array.from({ length: 101 }, () => 'nothing');

    await control
      .put('/state')
      .send({ include: ['empty', ...include.slice(3)] })
      .expect(204);
    const { body } = await control.put('/state').send({ include }).expect(400);

    expect(body.message).toContain('include[100]: more than 100 fixtures are included');
  });

  it.each(['x'.repeat(300), `../${'x'.repeat(900_000)}`])(
    'that is too long is refused with a short response',
    async (name) => {
      const { control } = await booted({});

      const { text } = await control
        .put('/state')
        .send({ include: [name] })
        .expect(400);
      await control.post('/environments').send({ fixture: name }).expect(400);

      expect(text.length).toBeLessThan(2000);
    },
  );
});

describe('a scenario name in the control API', () => {
  it('cannot be a link out of the folder, also in an include', async () => {
    const outside = makeFolder();
    const folder = join(outside, 'own');
    mkdirSync(folder);
    writeFileSync(join(outside, 'leaving.yaml'), 'name: leaving\nrules: []\n');
    symlinkSync(join(outside, 'leaving.yaml'), join(folder, 'leaving.yaml'));
    writeFileSync(join(folder, 'including.yaml'), 'name: including\ninclude: [leaving]\nrules: []\n');
    const { control } = await booted({ scenarioFolders: [folder] });
    const why = 'leaving.yaml is a link that leads out of its folder';

    const loaded = await control.post('/scenarios').send({ name: 'leaving' }).expect(404);
    const including = await control.post('/scenarios').send({ name: 'including' }).expect(400);
    const sent = { name: 'sent', include: ['leaving'], rules: [] };
    const included = await control.post('/scenarios').send(sent).expect(400);
    const { body } = await control.get('/scenarios').expect(200);

    for (const refused of [loaded, including, included]) expect(refused.body.message).toContain(why);
    expect(body.available.map(({ name }: { name: string }) => name)).not.toContain('leaving');
  });

  it.each(['/etc/passwd', '../leaving', '../leaving.yaml'])('cannot be a path, such as %s', async (path) => {
    const folder = makeFolder();
    writeFileSync(join(folder, 'leaving.yaml'), 'name: leaving\nrules: []\n');
    const { control } = await booted({ scenarioFolders: [join(folder, '..', basename(folder))] });

    await control.post('/scenarios').send({ name: path }).expect(404);
    const sent = { name: 'sent', include: [path], rules: [] };
    const { text } = await control.post('/scenarios').send(sent).expect(400);

    expect(text).not.toContain('root:');
  });
});
