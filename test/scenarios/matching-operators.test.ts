import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { meets, readCondition, type Condition, OPERATOR_NAMES } from '../../src/scenarios/condition.ts';
import { boot } from '../support/boot.ts';
import { complain, facts } from './support.ts';

const matches = (condition: Condition, given: object) =>
  meets(facts('ToolService_ExecuteTool', given), readCondition(condition));

describe('an operator', () => {
  it.each<[wanted: unknown, value: unknown, expected: boolean]>([
    [{ equals: 'a' }, 'a', true],
    [{ equals: { b: 1 } }, { b: 1, c: 2 }, true],
    [{ equals: { in: 1 } }, { in: 1 }, true],
    [{ equals: { in: 1 } }, 1, false],
    [{ not: 'a' }, 'b', true],
    [{ not: 'a' }, 'a', false],
    [{ not: 'a' }, undefined, true],
    [{ not: { contains: 'a' } }, 'bab', false],
    [{ contains: 'b' }, 'abc', true],
    [{ contains: 'B' }, 'abc', false],
    [{ contains: 1 }, [3, 1], true],
    [{ contains: 1 }, [11], false],
    [{ contains: { name: 'a' } }, [{ name: 'a', more: 1 }], true],
    [{ contains: { regex: '^a' } }, ['b', 'ab'], true],
    [{ contains: 'a' }, { a: 1 }, false],
    [{ starts_with: 'org_' }, 'org_1', true],
    [{ starts_with: 'org_' }, 'an org_1', false],
    [{ ends_with: '.com' }, 'a@b.com', true],
    [{ ends_with: '.com' }, 'a@b.com.au', false],
    [{ regex: 'b+' }, 'abbc', true],
    [{ regex: '^b+$' }, 'abbc', false],
    [{ regex: '(?i)^ABC$' }, 'abc', true],
    [{ regex: '^1' }, 12, true],
    [{ regex: 'true' }, true, false],
    [{ in: ['a', 1] }, 1, true],
    [{ in: ['a', '1'] }, 1, false],
    [{ in: [{ a: 1 }] }, { a: 1, b: 2 }, true],
    [{ present: true }, 0, true],
    [{ present: true }, null, false],
    [{ present: true }, undefined, false],
    [{ present: false }, undefined, true],
    [{ absent: true }, undefined, true],
    [{ absent: true }, '', false],
    [{ absent: false }, '', true],
    [{ gt: 1 }, 2, true],
    [{ gt: 1 }, 1, false],
    [{ gte: 1 }, 1, true],
    [{ lt: 1 }, '0.5', true],
    [{ lt: 1 }, '', false],
    [{ lt: 1 }, 'a', false],
    [{ lte: 1 }, 1, true],
    [{ gte: 1, lt: 3, not: 2 }, 1, true],
    [{ gte: 1, lt: 3, not: 2 }, 2, false],
    [['a', { starts_with: 'b' }], ['a', 'bc'], true],
    [['a', { starts_with: 'b' }], ['a', 'c'], false],
    [{ contains: 'a', other: 1 }, { contains: 'a', other: 1 }, true],
    [{ contains: 'a', other: 1 }, 'a', false],
  ])('%j matches %j: %s', (wanted, value, expected) => {
    const body = value === undefined ? {} : { outer: { inner_name: value } };

    expect(matches({ body: { outer: { inner_name: wanted } } }, { body })).toBe(expected);
    expect(matches({ body: { outer: { inner_name: { not: wanted } } } }, { body })).toBe(!expected);
  });

  it.each<[condition: Condition, given: object, expected: boolean]>([
    [{ path: { id: { starts_with: 'org_' } } }, { params: { id: 'org_1' } }, true],
    [{ query: { size: { gte: 10 } } }, { query: { size: '30' } }, true],
    [{ query: { size: { equals: 30 } } }, { query: { size: '30' } }, true],
    [{ query: { size: { in: [10, 30] } } }, { query: { size: '30' } }, true],
    [{ query: { size: { absent: true } } }, { query: {} }, true],
    [{ query: { f: { contains: 'sso' } } }, { query: { f: ['dir', 'sso'] } }, true],
    [{ query: { f: { contains: 'ss' } } }, { query: { f: ['dir', 'sso'] } }, false],
    [{ headers: { 'User-Agent': { contains: 'python' } } }, { headers: { 'user-agent': 'a python' } }, true],
    [{ headers: { a: { regex: ', c$' } } }, { headers: { a: ['b', 'c'] } }, true],
    [{ headers: { a: { absent: true } } }, { headers: { a: '' } }, false],
    [{ caller: { client_id: { regex: '^skc' } } }, { caller: { client_id: 'skc_1' } }, true],
    [{ caller: { client_id: { absent: true } } }, { caller: undefined }, true],
    [{ protocol: { not: 'grpc' } }, { protocol: 'http/1.1' }, true],
    [{ body: { absent: true } }, { body: undefined }, true],
    [{ body: { a: { b: { absent: true } } } }, { body: { a: 1 } }, true],
  ])('works in every part of a condition: %j', (condition, given, expected) => {
    expect(matches(condition, given)).toBe(expected);
  });

  it('is inverted by `not`, for any value', () => {
    const operand: Record<string, fc.Arbitrary<unknown>> = {
      in: fc.array(fc.jsonValue()),
      present: fc.boolean(),
      absent: fc.boolean(),
      regex: fc.constantFrom('^a', 'b$', '.'),
    };
    const wanted = fc
      .constantFrom(...OPERATOR_NAMES)
      .chain((name) =>
        (operand[name] ?? fc.oneof(fc.string(), fc.integer())).map((value) => ({ [name]: value })),
      );

    fc.assert(
      fc.property(wanted, fc.jsonValue(), (test, value) => {
        const plain = matches({ body: { a: test } }, { body: { a: value } });
        return matches({ body: { a: { not: test } } }, { body: { a: value } }) === !plain;
      }),
    );
  });
});

describe('errors in operators', () => {
  const rule = (on: string, when: string) =>
    `name: t\nrules:\n  - on: ${on}\n    when: ${when}\n    reply: { error: gone }\n`;

  it.each([
    [
      'an unknown operator for a parameter',
      'UserService_GetUser',
      '{ path: { id: { contians: x } } }',
      '4:27 rules[0].when.path.id.contians: unknown operator contians; did you mean contains?',
    ],
    [
      'an unknown operator for a member of the body',
      'ToolService_ExecuteTool',
      '{ body: { tool_name: { regx: x } } }',
      '4:34 rules[0].when.body.tool_name.regx: unknown operator regx; did you mean regex?',
    ],
    [
      'an unknown operator next to a known one',
      'ToolService_ExecuteTool',
      '{ body: { tool_name: { contains: x, regx: x } } }',
      '4:47 rules[0].when.body.tool_name.regx: unknown operator regx; did you mean regex?',
    ],
    [
      'a missing operator',
      'UserService_GetUser',
      '{ headers: { a: {} } }',
      '4:27 rules[0].when.headers.a: must be a value, or name an operator, such as contains or regex',
    ],
    [
      'an invalid regular expression',
      'UserService_GetUser',
      '{ headers: { a: { regex: "(a" } } }',
      '4:36 rules[0].when.headers.a.regex: is not a regular expression of RE2: missing closing ): `(a`',
    ],
    [
      'an invalid nested regular expression',
      'ToolService_ExecuteTool',
      '{ body: { params: { a: { not: { contains: { regex: "[" } } } } } }',
      '4:62 rules[0].when.body.params.a.not.contains.regex: is not a regular expression of RE2: missing closing ]: `[`',
    ],
    [
      'a regular expression with a look-ahead',
      'UserService_GetUser',
      '{ headers: { a: { regex: "^(?!a)" } } }',
      '4:36 rules[0].when.headers.a.regex: has a look-ahead or look-behind: (?!; the syntax of RE2 has none',
    ],
    [
      'an operand of the wrong type',
      'ToolService_ExecuteTool',
      '{ body: { tool_name: { in: a } } }',
      '4:38 rules[0].when.body.tool_name.in: must be a list of at least one value',
    ],
    [
      'a bound that is not a number',
      'OrganizationService_ListOrganization',
      '{ query: { page_size: { gt: many } } }',
      '4:39 rules[0].when.query.page_size.gt: must be number',
    ],
    [
      'an operator that does not apply to the type of the member',
      'UserService_CreateMembership',
      '{ body: { roles: { regex: a } } }',
      '4:30 rules[0].when.body.roles.regex: regex never matches an array',
    ],
    [
      'an unknown member inside an operator',
      'UserService_CreateMembership',
      '{ body: { roles: { contains: { nmae: admin } } } }',
      '4:42 rules[0].when.body.roles.contains.nmae: none of the operations has the member nmae; did you mean name?',
    ],
    [
      'an unknown member with an operator',
      'ToolService_ExecuteTool',
      '{ body: { tool_nme: { contains: x } } }',
      '4:21 rules[0].when.body.tool_nme: none of the operations has the member tool_nme; did you mean tool_name?',
    ],
    [
      'an unknown parameter',
      'UserService_GetUser',
      '{ query: { pagesize: { absent: true } } }',
      '4:22 rules[0].when.query.pagesize: none of the operations has the query parameter pagesize',
    ],
  ])('are reported for %s with their position', (_, on, when, expected) => {
    expect(complain(rule(on, when))).toEqual([expected]);
  });

  it.each(['(a|b)+', '^[a-z]+(_[a-z]{2})*$', '\\(a+\\)+', '[(a+)]+', '(a*)*', '((ab)*c)+', '(a+){3,}'])(
    'are not reported for the regular expression %s',
    (expression) => {
      expect(complain(rule('UserService_GetUser', `{ headers: { a: { regex: '${expression}' } } }`))).toEqual(
        [],
      );
    },
  );

  it.each(['(?=a)', '(?!a)', '(?<=a)', '(?<!a)', '(a)\\1', 'a{1001}', '(a{50}){50}'])(
    'are reported for the regular expression %s',
    (expression) => {
      expect(
        complain(rule('UserService_GetUser', `{ headers: { a: { regex: '${expression}' } } }`)),
      ).toHaveLength(1);
    },
  );
});

describe('operators in a loaded scenario', () => {
  it('select the calls that a rule applies to', async () => {
    const { api, control } = await boot();
    const when = {
      path: { id: { starts_with: 'org_' } },
      headers: { 'user-agent': { regex: '(?i)^acme-sdk/2' }, 'x-skip': { absent: true } },
      caller: { client_id: { not: 'skc_9' } },
    };
    const rule = { on: 'OrganizationService_GetOrganization', when, reply: { error: 'unavailable' } };
    await control
      .post('/scenarios')
      .send({ name: 'picky', rules: [rule] })
      .expect(201);
    const get = (headers: Record<string, string>) =>
      api.get('/api/v1/organizations/org_10000000000000001').set(headers);

    await get({ 'user-agent': 'Acme-SDK/2.1' }).expect(503);
    await get({ 'user-agent': 'acme-sdk/3' }).expect(200);
    await get({ 'user-agent': 'acme-sdk/2', 'x-skip': '1' }).expect(200);
    const { body } = await control.get('/requests').expect(200);

    const reasons = body.requests
      .slice(-3)
      .map(
        ({ scenario }: { scenario: { considered: { reason: string }[] } }) => scenario.considered[0]!.reason,
      );
    expect(reasons).toEqual([
      'matches',
      'when.headers.user-agent: wanted regex (?i)^acme-sdk/2, was acme-sdk/3',
      'when.headers.x-skip: wanted absent true, was 1',
    ]);
  });
});
