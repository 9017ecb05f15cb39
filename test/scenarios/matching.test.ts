import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as conditions from '../../src/scenarios/condition.ts';
import { type Condition, isOperators } from '../../src/scenarios/condition.ts';
import type { CallFacts } from '../../src/scenarios/call-facts.ts';
import { canMeet } from '@understudy/text/glob';
import { facts, hear, load } from './support.ts';

const meets = (given: CallFacts, condition: Condition) =>
  conditions.meets(given, conditions.readCondition(condition));

const name = fc.stringMatching(/^[a-z]{1,6}(_[a-z]{1,6})?$/).filter((key) => !isOperators({ [key]: 0 }));
const text = fc.string({ maxLength: 8 });
const scalar = fc.oneof(text, fc.integer(), fc.boolean());
const { body: json } = fc.letrec((tie) => ({
  body: fc.dictionary(name, tie('value'), { maxKeys: 4 }),
  value: fc.oneof(
    { maxDepth: 3 },
    fc.oneof(scalar, fc.constant(null)),
    fc.array(tie('value'), { maxLength: 3 }),
    tie('body'),
  ),
}));
const texts = fc.dictionary(name, text, { maxKeys: 4 });

const call = fc
  .record({ params: texts, query: texts, headers: texts, body: json, client_id: text, protocol: text })
  .map(({ client_id, ...given }) => facts('ToolService_ExecuteTool', { ...given, caller: { client_id } }));

/** Keeps some members, recursively; lists stay whole. */
function partOf(value: unknown, keep: () => boolean): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const kept = Object.entries(value).filter(keep);
  return Object.fromEntries(kept.map(([key, member]) => [key, partOf(member, keep)]));
}

function conditionOf(given: CallFacts, keep: () => boolean): Condition {
  const { params: path, query, headers, body, caller, protocol } = given;
  return partOf({ path, query, headers, body, caller, protocol }, keep) as Condition;
}

const keeper = fc.infiniteStream(fc.boolean()).map((stream) => () => stream.next().value as boolean);

/** The paths to every scalar and list of a condition. */
function leavesOf(value: unknown, path: readonly string[] = []): string[][] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [[...path]];
  return Object.entries(value).flatMap(([key, member]) => leavesOf(member, [...path, key]));
}

function change(condition: unknown, [step, ...rest]: readonly string[]): unknown {
  if (step === undefined) return `${JSON.stringify(condition)} changed`;
  const members = condition as Record<string, unknown>;
  return { ...members, [step]: change(members[step], rest) };
}

describe('a condition', () => {
  it('matches the call that it was made from, whichever members it leaves out', () => {
    fc.assert(fc.property(call, keeper, (given, keep) => meets(given, conditionOf(given, keep))));
  });

  it('does not match once any compared member differs', () => {
    fc.assert(
      fc.property(call, keeper, fc.nat(), (given, keep, choice) => {
        const condition = conditionOf(given, keep);
        const leaves = leavesOf(condition);
        fc.pre(leaves.length > 0);
        const changed = change(condition, leaves[choice % leaves.length]!) as Condition;
        return !meets(given, changed);
      }),
    );
  });

  it.each<[string, Condition, Partial<CallFacts>, boolean]>([
    ['path values as text', { path: { id: 7 } }, { params: { id: '7' } }, true],
    ['query values as text', { query: { page_size: 10 } }, { query: { page_size: '10' } }, true],
    ['flags as text', { query: { cascade: true } }, { query: { cascade: 'true' } }, true],
    [
      'a repeated parameter',
      { query: { features: ['sso', 'dir'] } },
      { query: { features: ['sso', 'dir'] } },
      true,
    ],
    [
      'one value with a repeated parameter',
      { query: { features: 'sso' } },
      { query: { features: ['sso', 'dir'] } },
      false,
    ],
    ['a missing parameter', { query: { features: 'undefined' } }, { query: {} }, false],
    ['headers in any case', { headers: { 'X-Trace': 'a' } }, { headers: { 'x-trace': 'a' } }, true],
    ['an empty header with a missing one', { headers: { a: '' } }, { headers: {} }, false],
    ['a repeated header', { headers: { a: 'b, c' } }, { headers: { a: ['b', 'c'] } }, true],
    ['body values by their type', { body: { n: 1 } }, { body: { n: '1' } }, false],
    ['a body name in camelCase', { body: { tool_name: 'x' } }, { body: { toolName: 'x' } }, true],
    ['objects with further members', { body: { a: { b: 1 } } }, { body: { a: { b: 1, c: 2 }, d: 3 } }, true],
    ['lists with further elements', { body: { a: [1] } }, { body: { a: [1, 2] } }, false],
    [
      'objects in lists with further members',
      { body: { a: [{ b: 1 }] } },
      { body: { a: [{ b: 1, c: 2 }] } },
      true,
    ],
    [
      'a caller',
      { caller: { client_id: 'skc_1' } },
      { caller: { client_id: 'skc_1', organization_id: 'org_1' } },
      true,
    ],
    ['no caller', { caller: { client_id: 'skc_1' } }, { caller: undefined }, false],
    ['a protocol', { protocol: 'grpc' }, { protocol: 'rest' }, false],
    ['no body', { body: { a: 1 } }, { body: undefined }, false],
  ])('compares %s', (_, condition, given, expected) => {
    expect(meets(facts('ToolService_ExecuteTool', given), condition)).toBe(expected);
  });
});

describe('on', () => {
  const on = (value: string) =>
    load(`name: test\nrules:\n  - on: ${value}\n    reply: { error: internal }\n`);

  it.each([
    ['UserService_GetUser', 'UserService_GetUser', true],
    ['UserService_GetUser', 'UserService_GetUser2', true],
    ['UserService_GetUser2', 'UserService_GetUser', false],
    ['UserService_GetUser', 'UserService_ResendInvite', false],
    ['[OAuth_Token, UserService_GetUser]', 'OAuth_Token', true],
    ['ToolService_*', 'ToolService_ExecuteTool', true],
    ['ToolService_*', 'OAuth_Token', false],
    ['"*"', 'OAuth_Token', true],
    ['{ method: POST }', 'ToolService_ExecuteTool', true],
    ['{ method: GET }', 'ToolService_ExecuteTool', false],
    ['{ path: "/api/v1/users/{user_id}" }', 'UserService_GetUser', true],
    ['{ path: "/api/v1/users/{user_id}" }', 'UserService_GetUser2', false],
  ])('%s matches %s: %s', async (written, operation, expected) => {
    expect(await hear(on(written), operation)).toBe(expected ? 'internal' : undefined);
  });

  it.each([
    ['/api/v1/users/usr_1', '/api/v1/users/usr_1', true],
    ['/api/v1/users/usr_1', '/api/v1/users/usr_1/', true],
    ['/api/v1/users/usr_1', '/api/v1/users/usr_2', false],
    ['/api/v1/users/usr_*', '/api/v1/users/usr_2', true],
    ['/api/*/usr_2', '/api/v1/users/usr_2', true],
    ['/api/v1/users/u.r_1', '/api/v1/users/usr_1', false],
  ])('the path %s matches %s: %s', async (path, called, expected) => {
    const heard = await hear(on(`{ path: "${path}" }`), 'UserService_GetUser', { path: called });

    expect(heard).toBe(expected ? 'internal' : undefined);
  });

  it('knows which globs can match a path template', () => {
    const template = '/a/{x}/b:{y}';

    expect(
      ['/a/1/b:2', '/a/*', '*', '/a/1*2/b:*', '*b:2'].map((glob) => canMeet(glob, template)),
    ).not.toContain(false);
    expect(
      ['/a//b:2', '/a/1/b:', '/b*', '/a/1/2/b:3', '*/c'].map((glob) => canMeet(glob, template)),
    ).not.toContain(true);
  });
});
