import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { copyPackage, eventually, makeFolder, serve, type Service } from '../support/process.ts';

/** A fixture with organizations of these names and nothing else. */
function fixtureOf(...names: string[]): string {
  const { settings } = JSON.parse(readFileSync('fixtures/empty.json', 'utf8'));
  const time = '2026-01-01T00:00:00Z';
  const organizations = names.map((display_name, index) => ({
    id: `org_2000000000000000${index}`,
    display_name,
    region_code: 'US',
    create_time: time,
    update_time: time,
    metadata: {},
  }));
  return JSON.stringify({ include: ['catalogue'], settings, organizations });
}

async function organizationsOf({ control }: Service, environment = 'default'): Promise<string[]> {
  const { body } = await control.get(`/environments/${environment}/state/organizations`).expect(200);
  return body.rows.map(({ display_name }: { display_name: string }) => display_name);
}

async function create(service: Service, display_name: string): Promise<void> {
  const api = await service.login();
  await api.post('/api/v1/organizations').send({ display_name }).expect(201);
}

const told = (service: Service, text: string) =>
  eventually(service.stderr, (stderr) => stderr.includes(text));

/** A service that watches its own fixture file. */
async function watching(...names: string[]) {
  const cwd = makeFolder();
  const fixture = join(cwd, 'own.json');
  writeFileSync(fixture, fixtureOf(...names));
  const service = await serve(['--watch', '--log-level', 'info', '--fixture', './own.json'], { cwd });
  return { cwd, fixture, service };
}

describe('--watch with a fixture', () => {
  it('reloads a changed file and resets the environment', async () => {
    const { fixture, service } = await watching('Acme');
    await create(service, 'Northwind');

    writeFileSync(fixture, fixtureOf('Acme', 'Globex'));

    await eventually(
      () => organizationsOf(service),
      (names) => names.includes('Globex'),
    );
    expect(await organizationsOf(service)).toEqual(['Acme', 'Globex']);
    await service.control.post('/environments').send({ name: 'worker' }).expect(201);
    expect(await organizationsOf(service, 'worker')).toEqual(['Acme', 'Globex']);
    await told(service, 'info: fixture reloaded');
  });

  it('changes nothing when the file is invalid, and reloads it when it is valid again', async () => {
    const { fixture, service } = await watching('Acme');
    await create(service, 'Northwind');

    writeFileSync(fixture, fixtureOf('Acme', 'Globex').replace('Globex', ''));
    await told(service, 'warn: fixture not reloaded: ./own.json:');

    expect(await organizationsOf(service)).toEqual(['Acme', 'Northwind']);
    await service.control.post('/environments').send({ name: 'worker' }).expect(201);
    expect(await organizationsOf(service, 'worker')).toEqual(['Acme']);
    writeFileSync(fixture, fixtureOf('Acme', 'Globex'));
    await eventually(
      () => organizationsOf(service),
      (names) => names.includes('Globex'),
    );
  });

  it('uses the changed file of a --fixtures folder for new environments', async () => {
    const cwd = makeFolder();
    const fixture = join(cwd, 'own.json');
    writeFileSync(fixture, fixtureOf('Acme'));
    const service = await serve(['--watch', '--fixtures', '.'], { cwd });
    const create = async () => {
      const { body } = await service.control.post('/environments').send({ fixture: 'own' }).expect(201);
      return organizationsOf(service, body.name);
    };
    expect(await create()).toEqual(['Acme']);

    writeFileSync(fixture, fixtureOf('Globex'));

    await eventually(create, (names) => names.includes('Globex'));
  });

  it('ignores other files, and a file that is written without a change', async () => {
    const { cwd, fixture, service } = await watching('Acme');
    await create(service, 'Northwind');

    writeFileSync(join(cwd, 'notes.json'), '[]');
    writeFileSync(fixture, readFileSync(fixture));
    writeFileSync(fixture, '{');
    await told(service, 'not reloaded: ./own.json');

    expect(await organizationsOf(service)).toEqual(['Acme', 'Northwind']);
    expect(service.stderr()).not.toContain('info: fixture reloaded');
  });

  it('watches a shipped fixture too, and can be set by UNDERSTUDY_WATCH', async () => {
    const { folder, program } = copyPackage();
    const service = await serve(['--fixture', 'empty'], { program, variables: { UNDERSTUDY_WATCH: '1' } });

    writeFileSync(join(folder, 'fixtures', 'empty.json'), fixtureOf('Globex'));

    await eventually(
      () => organizationsOf(service),
      (names) => names.includes('Globex'),
    );
  });
});

describe('--watch with a loaded scenario', () => {
  const failing = (error: string) =>
    `name: own\nrules:\n  - on: OrganizationService_ListOrganization\n    reply: { error: ${error} }\n`;

  /** A service that has loaded its own scenario file. */
  async function watchingScenario(error: string) {
    const { folder, program } = copyPackage();
    const file = join(folder, 'scenarios', 'own.yaml');
    writeFileSync(file, failing(error));
    const service = await serve(['--watch', '--log-level', 'info'], { program });
    await service.control.post('/scenarios').send({ name: 'own' }).expect(201);
    const api = await service.login();
    const status = async () => (await api.get('/api/v1/organizations')).status;
    return { file, folder, service, api, status };
  }

  it('reloads a changed file', async () => {
    const { file, status } = await watchingScenario('internal');
    expect(await status()).toBe(500);

    writeFileSync(file, failing('rate_limited'));

    await eventually(status, (found) => found === 429);
  });

  it('keeps the loaded scenario when the file is invalid', async () => {
    const { file, service, status } = await watchingScenario('internal');

    writeFileSync(file, failing('rate_limted'));
    await told(service, `warn: scenario own not reloaded: ${file}:4:21: rules[0].reply.error`);

    expect(await status()).toBe(500);
  });

  it('keeps the counters when another file changes', async () => {
    const { folder, service, api, status } = await watchingScenario('internal');
    await service.control.post('/scenarios').send({ name: 'rate-limit-once' }).expect(201);
    await service.control.delete('/scenarios/own').expect(204);
    expect([await status(), await status()]).toEqual([429, 200]);
    await service.control.post('/scenarios').send({ name: 'own' }).expect(201);

    writeFileSync(join(folder, 'scenarios', 'own.yaml'), failing('unavailable'));
    await eventually(status, (found) => found === 503);

    await api.get('/api/v1/connections').expect(200);
    const { body } = await service.control.get('/scenarios').expect(200);
    expect(body.loaded).toMatchObject([
      { name: 'rate-limit-once', rules: [{ hits: 1, remaining: 0 }] },
      { name: 'own' },
    ]);
  });
});

describe('--watch with a scenario folder', () => {
  const LIST = '/api/v1/organizations';
  const throttle = (error: string) =>
    `name: base\nparams: { operation: , error: ${error} }\nrules:\n  - on: \${operation}\n    reply: { error: '\${error}' }\n`;

  it('reloads scenarios, with their parameter values, when an included file changes', async () => {
    const folder = makeFolder();
    writeFileSync(join(folder, 'base.yaml'), throttle('internal'));
    const include = "include: [{ name: base, params: { operation: '${operation}' } }]";
    writeFileSync(join(folder, 'own.yaml'), `name: own\nparams: { operation: }\n${include}\n`);
    const reference = 'own,operation=OrganizationService_ListOrganization';
    const service = await serve([
      '--watch',
      '--log-level',
      'info',
      '--scenarios',
      folder,
      '--scenario',
      reference,
    ]);
    const api = await service.login();
    await api.get(LIST).expect(500);

    writeFileSync(join(folder, 'base.yaml'), throttle('unavailable'));

    await eventually(
      async () => (await api.get(LIST)).status,
      (status) => status === 503,
    );
    await api.get('/api/v1/users').expect(200);
    await told(service, 'info: scenario own reloaded in default');
  });

  it('does not replace a scenario of the same name that was sent in a call', async () => {
    const folder = makeFolder();
    writeFileSync(join(folder, 'own.yaml'), 'name: own\n');
    writeFileSync(join(folder, 'other.yaml'), 'name: other\n');
    const service = await serve([
      '--watch',
      '--log-level',
      'info',
      '--scenarios',
      folder,
      '--scenario',
      'other',
    ]);
    const rules = [{ on: 'OrganizationService_ListOrganization', reply: { error: 'unavailable' } }];
    await service.control.post('/scenarios').send({ name: 'own', rules }).expect(201);

    writeFileSync(join(folder, 'own.yaml'), 'name: own\ndescription: changed\n');
    writeFileSync(join(folder, 'other.yaml'), 'name: other\ndescription: changed\n');
    await told(service, 'scenario other reloaded');

    const api = await service.login();
    await api.get(LIST).expect(503);
  });
});
