import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { meets } from '../../src/scenarios/condition.ts';
import { LoadedScenarios } from '../../src/scenarios/rules.ts';
import { contract, facts, read, stage } from './support.ts';

const TOOL = 'ToolService_ExecuteTool';
const PATH = contract.operation(TOOL)!.path;
/** Few values, so that rules and calls match often. */
const text = fc.constantFrom('a', 'b', '1', '');
const plain = fc.oneof(text, fc.constantFrom(1, 2, true));
const textMatcher = fc.oneof(
  { weight: 3, arbitrary: plain },
  fc.record({ in: fc.array(plain, { minLength: 1, maxLength: 3 }) }),
  fc.record({ equals: plain, not: plain }),
  fc.record({ contains: text }),
  fc.constantFrom({ present: true }, { absent: true }, { regex: '^[ab]' }, { gt: 0 }),
);
const bodyMatcher = fc.oneof(
  textMatcher,
  fc.constantFrom(
    null,
    [],
    ['a'],
    { b: 'a' },
    { b: { not: 'a' } },
    { equals: { b: 'a' } },
    { in: [null, ['a']] },
  ),
);
const some = { requiredKeys: [] };
const when = fc.record(
  {
    body: fc.record({ tool_name: textMatcher, params: bodyMatcher }, some),
    headers: fc.record({ 'X-A': textMatcher, 'x-b': textMatcher }, some),
    caller: fc.record({ client_id: textMatcher }, some),
    protocol: fc.constantFrom('rest', 'grpc', { not: 'rest' }),
  },
  some,
);
const on = fc.constantFrom<unknown>(TOOL, '*', { path: PATH }, { path: '/api/v1/exec*' }, { method: 'POST' });
const rule = fc
  .record(
    {
      on,
      when,
      after: fc.nat(2),
      every: fc.integer({ min: 1, max: 3 }),
      times: fc.integer({ min: 1, max: 3 }),
    },
    { requiredKeys: ['on'] },
  )
  .map((written) => ({ ...written, reply: { error: 'unavailable' } }));
const call = fc.record(
  {
    path: fc.constantFrom(PATH, `${PATH}/`, '/api/v1/other'),
    body: fc.record(
      {
        tool_name: plain,
        toolName: plain,
        params: fc.constantFrom<unknown>('a', 1, null, ['a'], { b: 'a' }, {}),
      },
      some,
    ),
    headers: fc.record({ 'x-a': fc.oneof(text, fc.array(text)), 'X-B': text }, some),
    caller: fc.record({ client_id: text }),
    protocol: fc.constantFrom('rest', 'grpc'),
  },
  some,
);

describe('the rule that applies', () => {
  it('is the one that a linear search over all rules finds, for any sequence of calls', () => {
    fc.assert(
      fc.property(fc.array(rule, { maxLength: 12 }), fc.array(call, { maxLength: 12 }), (written, calls) => {
        const scenario = read(JSON.stringify({ name: 'test', rules: written }));
        const loaded = new LoadedScenarios(stage());
        loaded.load(scenario);
        const counts = scenario.rules.map(() => ({ seen: 0, hits: 0 }));

        const spoken = calls.map((given) => loaded.outcomeFor(facts(TOOL, given)).rule?.rule);

        const naive = calls.map((given) => {
          const found = scenario.rules.findIndex(
            ({ requirements, after, every, times = Infinity }, index) => {
              const count = counts[index]!;
              if (!meets(facts(TOOL, given), requirements)) return false;
              count.seen += 1;
              if (count.hits === times) return false;
              return count.seen > after && (count.seen - after) % every === 0;
            },
          );
          if (found >= 0) counts[found]!.hits += 1;
          return found < 0 ? undefined : found;
        });
        expect(spoken).toEqual(naive);
        expect(loaded.list()[0]!.rules).toMatchObject(counts);
      }),
      { numRuns: 200 },
    );
  });

  it.each([
    ['a member of the body', (i: number) => ({ on: TOOL, when: { body: { tool_name: `t${i}` } } })],
    ['a header', (i: number) => ({ on: TOOL, when: { headers: { 'x-a': `t${i}` }, protocol: 'rest' } })],
    [
      'one of several values',
      (i: number) => ({ on: TOOL, when: { headers: { 'x-a': { in: [`t${i}`, `u${i}`] } } } }),
    ],
    ['the path', (i: number) => ({ on: { path: `/api/v1/users/usr_${i}` } })],
  ])('is found among a thousand that differ in %s without testing the others', (_, rigged) => {
    const rules = Array.from({ length: 1000 }, (_each, i) => ({
      ...rigged(i),
      reply: { error: 'unavailable' },
    }));
    const scenario = read(JSON.stringify({ name: 'test', rules }));
    const tests = scenario.rules.flatMap(({ requirements }) =>
      requirements.map((requirement) => vi.spyOn(requirement, 'test')),
    );
    const loaded = new LoadedScenarios(stage());
    loaded.load(scenario);
    const given = { path: '/api/v1/users/usr_700', headers: { 'x-a': 't700' }, body: { tool_name: 't700' } };
    const operation = scenario.rules[0]!.target.operations[0]!.id;

    const script = loaded.outcomeFor(facts(operation, given));

    expect(script.rule).toEqual({ name: 'test', rule: 700 });
    expect(tests.filter((test) => test.mock.calls.length > 0).length).toBeLessThanOrEqual(2);
  });
});
