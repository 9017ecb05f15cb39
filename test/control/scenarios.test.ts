import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { boot } from '../support/boot.ts';
import { makeFolder } from '../support/process.ts';

const ORGANIZATIONS = '/api/v1/organizations';
const DOWN = { name: 'down', rules: [{ on: 'OrganizationService_*', reply: { error: 'unavailable' } }] };

describe('scenarios in the control API', () => {
  it('are loaded by name, as JSON or as YAML, listed in the order of loading, and shown with their hits', async () => {
    const { api, control } = await boot();
    const yaml = 'name: written\nrules:\n  - { on: UserService_*, reply: { error: not_found } }\n';

    const ofFile = await control.post('/scenarios').send({ name: 'invite-expired' }).expect(201);
    const ofBody = await control.post('/scenarios').send(DOWN).expect(201);
    const ofText = await control.post('/scenarios').type('application/yaml').send(yaml).expect(201);
    await api.get(ORGANIZATIONS).expect(503);

    const { body } = await control.get('/scenarios').expect(200);
    expect(body.loaded.map(({ id, name }: { id: string; name: string }) => ({ id, name }))).toEqual([
      ofFile.body,
      ofBody.body,
      ofText.body,
    ]);
    const { available } = body as { available: { name: string; description: string; on: unknown[] }[] };
    const once = available.find(({ name }) => name === 'rate-limit-once')!;
    expect(once.description).not.toBe('');
    expect(once.on).toEqual(['*Service_*']);
    const byName = await control.get('/scenarios/down').expect(200);
    const byId = await control.get(`/scenarios/${ofBody.body.id}`).expect(200);
    expect(byName.body).toMatchObject({ name: 'down', rules: [{ on: 'OrganizationService_*', hits: 1 }] });
    expect(byId.body).toEqual(byName.body);
  });

  it('are listed as their files are now, also after a change of an included file', async () => {
    const folder = makeFolder();
    const write = (name: string, text: string) => writeFileSync(join(folder, `${name}.yaml`), text);
    write('base', 'name: base\ndescription: first\n');
    write('top', 'name: top\ndescription: above\ninclude: [base]\n');
    const { control } = await boot({ scenarioFolders: [folder] });
    const descriptions = async () => {
      const { body } = await control.get('/scenarios').expect(200);
      const available = body.available as { name: string; description: string }[];
      const own = available.filter(({ name }) => name === 'base' || name === 'top');
      return own.map(({ description }) => description);
    };
    expect(await descriptions()).toEqual(['first', 'above']);

    write('base', 'name: base\ndescription: other\n');
    expect(await descriptions()).toEqual(['other', 'above']);
    write('base', 'name: base\nruls: []\n');
    expect(await descriptions()).toEqual(Array(2).fill(expect.stringContaining('ruls: unknown key')));
    rmSync(join(folder, 'base.yaml'));
    expect(await descriptions()).toEqual([expect.stringContaining('unknown scenario base')]);
    write('base', 'name: base\ndescription: again\n');
    expect(await descriptions()).toEqual(['again', 'above']);
  });

  it('are unloaded one by one or all at once', async () => {
    const { api, control } = await boot();
    await control.post('/scenarios').send(DOWN).expect(201);
    await control.post('/scenarios').send({ name: 'rate-limit-always' }).expect(201);

    await control.delete('/scenarios/rate-limit-always').expect(204);
    await api.get(ORGANIZATIONS).expect(503);
    await control.delete('/scenarios').expect(204);

    await api.get(ORGANIZATIONS).expect(200);
    expect((await control.get('/scenarios').expect(200)).body.loaded).toEqual([]);
  });

  it('replace a loaded scenario of the same name', async () => {
    const { api, control } = await boot();
    await control.post('/scenarios').send(DOWN).expect(201);

    const rules = [{ on: 'OrganizationService_*', reply: { error: 'deadline_exceeded' } }];
    await control.post('/scenarios').send({ name: 'down', rules }).expect(201);

    await api.get(ORGANIZATIONS).expect(504);
    expect((await control.get('/scenarios').expect(200)).body.loaded).toHaveLength(1);
  });

  it('with an error in the last rule change nothing', async () => {
    const { api, control } = await boot();
    const state = {
      organizations: [{ match: { id: 'org_10000000000000001' }, set: { display_name: 'Gone' } }],
    };
    const rules = [
      ...DOWN.rules,
      { on: 'OrganizationService_GetOrganisation', reply: { error: 'not_found' } },
    ];
    const before = (await control.get('/state/hash').expect(200)).body;

    const { body } = await control.post('/scenarios').send({ name: 'wrong', state, rules }).expect(400);

    expect(body.message).toContain('rules[1].on');
    expect(body.message).toContain('did you mean OrganizationService_GetOrganization?');
    expect((await control.get('/state/hash').expect(200)).body).toEqual(before);
    await api.get(ORGANIZATIONS).expect(200);
  });

  it('that do not exist get a suggestion', async () => {
    const { control } = await boot();
    const none = await control.get('/scenarios/down').expect(404);
    await control.post('/scenarios').send(DOWN).expect(201);

    const near = await control.delete('/scenarios/dawn').expect(404);
    const file = await control.post('/scenarios').send({ name: 'invite-expird' });

    expect(none.body.message).toBe('scenario down is not loaded; there are none');
    expect(near.body.message).toBe('scenario dawn is not loaded; did you mean down?');
    expect([400, 404]).toContain(file.status);
    expect(file.body.message).toContain('did you mean invite-expired?');
  });
});
