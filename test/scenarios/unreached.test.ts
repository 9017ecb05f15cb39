import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { lintScenarios } from '../../src/scenarios/lint.ts';
import { boot } from '../support/boot.ts';
import { folderWith, read, reader } from './support.ts';

const GET = 'OrganizationService_GetOrganization';
const reply = 'reply: { error: unavailable }';
const warningsOf = (...rules: string[]) =>
  read(`name: test\nrules:\n${rules.map((rule) => `  - { ${rule}, ${reply} }\n`).join('')}`).warnings;

describe('a rule that is never applied', () => {
  it.each([
    ['the same operation', `on: ${GET}`, `rules[0] (on ${GET})`],
    ['a glob', "on: '*'", 'rules[0] (on *)'],
    ['a path', "on: { path: '/api/v1/organizations/{id}' }", 'rules[0] (on /api/v1/organizations/{id})'],
  ])('is warned of when an earlier rule takes all of its calls: by %s', (_, earlier, named) => {
    expect(warningsOf(earlier, `on: ${GET}, times: 1`)).toEqual([
      `test.yaml:4:5: rules[1]: warning: never applied: ${named} takes every call of ${GET} first`,
    ]);
  });

  it('is warned of when several rules take them together', () => {
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
  ])('is not one whose calls an earlier one with %s leaves', (limit) => {
    expect(warningsOf(`on: '*Organization', ${limit}`, `on: ${GET}`)).toBeUndefined();
  });

  it('is not one that has an operation to itself, or a path that is no template before it', () => {
    expect(warningsOf(`on: ${GET}`, "on: 'OrganizationService_*'")).toBeUndefined();
    expect(warningsOf("on: { path: '/api/v1/organizations/org_2*' }", `on: ${GET}`)).toBeUndefined();
  });

  const FILES = {
    'own.yaml': `name: own\ninclude: [slow-answers]\nrules:\n  - { on: ${GET}, ${reply} }\n`,
    'open.yaml': `name: open\nparams: { operation: , times: }\nrules:\n  - { on: "\${operation}", ${reply} }\n  - { on: "*", times: "\${times}", ${reply} }\n  - { on: ${GET}, ${reply} }\n`,
  };
  const SAID = `own.yaml:4:5: rules[0]: warning: never applied: slow-answers rules[0] (on *) takes every call of ${GET} first`;

  it('is told by lint with file and place, which is no mistake', () => {
    const folder = folderWith(FILES);
    const [own, open] = lintScenarios([join(folder, 'own.yaml'), join(folder, 'open.yaml')], reader);

    expect(own).toMatchObject({ complaints: [], warnings: [join(folder, SAID)] });
    expect(open).toMatchObject({ complaints: [], warnings: [] });
  });

  it('is told at loading, and of what is loaded', async () => {
    const folder = folderWith(FILES);
    const { control } = await boot({ scenarioFolders: [folder] });

    const { body } = await control.post('/scenarios').send({ name: 'own' }).expect(201);
    await control.post('/scenarios').send({ name: 'rate-limit-once' }).expect(201);

    expect(body).toEqual({ id: 'scn_1', name: 'own', warnings: [join(folder, SAID)] });
    const { loaded } = (await control.get('/scenarios').expect(200)).body;
    expect(loaded[0]).toMatchObject({ name: 'own', warnings: body.warnings });
    expect(loaded[1]).not.toHaveProperty('warnings');
    expect((await control.get('/scenarios/own').expect(200)).body.warnings).toEqual(body.warnings);
  });
});
