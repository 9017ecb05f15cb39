import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { lintScenarios } from '../../src/scenarios/lint.ts';
import { boot } from '../support/boot.ts';
import { folderWith, read, reader } from './support.ts';

const GET = 'OrganizationService_GetOrganization';
const reply = 'reply: { error: unavailable }';
const warningsOf = (...rules: string[]) =>
  read(`name: test\nrules:\n${rules.map((rule) => `  - { ${rule}, ${reply} }\n`).join('')}`).warnings;

describe('a rule that never applies', () => {
  it.each([
    ['the same operation', `on: ${GET}`, `rules[0] (on ${GET})`],
    ['a glob', "on: '*'", 'rules[0] (on *)'],
    ['a path', "on: { path: '/api/v1/organizations/{id}' }", 'rules[0] (on /api/v1/organizations/{id})'],
  ])('has a warning when an earlier rule applies to all of its calls: by %s', (_, earlier, named) => {
    expect(warningsOf(earlier, `on: ${GET}, times: 1`)).toEqual([
      `test.yaml:4:5: rules[1]: warning: never applied: ${named} takes every call of ${GET} first`,
    ]);
  });

  it('has a warning when several earlier rules together apply to all of its calls', () => {
    const later = '[UserService_GetUser, UserService_DeleteUser]';

    expect(warningsOf('on: UserService_GetUser', 'on: UserService_DeleteUser', `on: ${later}`)).toEqual([
      expect.stringMatching(
        /rules\[0\] \(on UserService_GetUser\) and rules\[1\] \(on UserService_DeleteUser\) take every call/,
      ),
    ]);
  });

  it.each([
    'times: 1',
    'after: 1',
    'every: 2',
    'probability: 0.5',
    'when: { path: { id: org_1 } }',
    'when: { headers: { x-a: b } }',
  ])('has no warning when the earlier rule has %s', (limit) => {
    expect(warningsOf(`on: '*Organization', ${limit}`, `on: ${GET}`)).toBeUndefined();
  });

  it('has no warning when an operation of its own remains, or the earlier path is no template', () => {
    expect(warningsOf(`on: ${GET}`, "on: 'OrganizationService_*'")).toBeUndefined();
    expect(warningsOf("on: { path: '/api/v1/organizations/org_2*' }", `on: ${GET}`)).toBeUndefined();
  });

  const FILES = {
    'own.yaml': `name: own\ninclude: [slow-answers]\nrules:\n  - { on: ${GET}, ${reply} }\n`,
    'open.yaml': `name: open\nparams: { operation: , times: }\nrules:\n  - { on: "\${operation}", ${reply} }\n  - { on: "*", times: "\${times}", ${reply} }\n  - { on: ${GET}, ${reply} }\n`,
  };
  const WARNING = `own.yaml:4:5: rules[0]: warning: never applied: slow-answers rules[0] (on *) takes every call of ${GET} first`;

  it('is listed by lint as a warning with file and position, not as an error', () => {
    const folder = folderWith(FILES);
    const [own, open] = lintScenarios([join(folder, 'own.yaml'), join(folder, 'open.yaml')], reader);

    expect(own).toMatchObject({ complaints: [], warnings: [join(folder, WARNING)] });
    expect(open).toMatchObject({ complaints: [], warnings: [] });
  });

  it('is in the warnings of the loading call and of the loaded scenarios', async () => {
    const folder = folderWith(FILES);
    const { control } = await boot({ scenarioFolders: [folder] });

    const { body } = await control.post('/scenarios').send({ name: 'own' }).expect(201);
    await control.post('/scenarios').send({ name: 'rate-limit-once' }).expect(201);

    expect(body).toEqual({ id: 'scn_1', name: 'own', warnings: [join(folder, WARNING)] });
    const { loaded } = (await control.get('/scenarios').expect(200)).body;
    expect(loaded[0]).toMatchObject({ name: 'own', warnings: body.warnings });
    expect(loaded[1]).not.toHaveProperty('warnings');
    expect((await control.get('/scenarios/own').expect(200)).body.warnings).toEqual(body.warnings);
  });
});
