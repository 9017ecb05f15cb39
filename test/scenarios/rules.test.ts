import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ApiError } from '../../src/contract/errors.ts';
import { RuleUsage } from '../../src/scenarios/active-rule.ts';
import { LoadedScenarios } from '../../src/scenarios/rules.ts';
import { NO_RULE } from '../../src/scenarios/rule-outcome.ts';
import { facts, hear, load, read, stage } from './support.ts';

const TOOL = 'ToolService_ExecuteTool';
const scenario = (name: string, ...rules: string[]) =>
  `name: ${name}\nrules:\n${rules.map((rule) => `  - ${rule}\n`).join('')}`;
const tool = (rest: string) => `{ on: ${TOOL}, ${rest} }`;

const hearAll = async (loaded: LoadedScenarios, times: number) => {
  const heard: unknown[] = [];
  for (let i = 0; i < times; i += 1) heard.push(await hear(loaded, TOOL));
  return heard;
};

describe('the counters of a rule', () => {
  it('let the first calls pass and then limit how often the rule applies', async () => {
    const loaded = load(scenario('test', tool('after: 2, times: 2, reply: { error: gone }')));

    const heard = await hearAll(loaded, 6);

    expect(heard).toEqual([undefined, undefined, 'gone', 'gone', undefined, undefined]);
    expect(loaded.list()).toEqual([
      { id: 'scn_1', name: 'test', rules: [{ on: TOOL, seen: 6, hits: 2, remaining: 0 }] },
    ]);
  });

  it('are unlimited by default', async () => {
    const loaded = load(scenario('test', tool('reply: { error: gone }')));

    await hearAll(loaded, 20);

    expect(loaded.find('test')!.rules).toEqual([{ on: TOOL, seen: 20, hits: 20 }]);
  });

  it('count only calls that match', async () => {
    const loaded = load(
      scenario('test', tool('when: { body: { tool_name: a } }, after: 1, times: 1, reply: { error: gone }')),
    );
    const names = ['b', 'a', 'b', 'a', 'a'];

    const heard = await Promise.all(names.map((tool_name) => hear(loaded, TOOL, { body: { tool_name } })));

    expect(heard).toEqual([undefined, undefined, undefined, 'gone', undefined]);
  });

  it('apply the first rule that is not used up, in the order of loading', async () => {
    const loaded = load(
      scenario('a', tool('times: 1, reply: { error: gone }'), tool('times: 1, reply: { error: internal }')),
    );
    loaded.load(read(scenario('b', `{ on: "*", reply: { error: unavailable } }`)));

    expect(await hearAll(loaded, 3)).toEqual(['gone', 'internal', 'unavailable']);
  });

  it('increase when the outcome is requested, whether it is applied or not', async () => {
    const loaded = load(scenario('test', tool('times: 1, reply: { error: gone }')));

    const first = loaded.outcomeFor(facts(TOOL));
    const second = loaded.outcomeFor(facts(TOOL));

    expect(first.rule).toEqual({ name: 'test', rule: 0 });
    expect([second.rule, await second.apply?.()]).toEqual([undefined, undefined]);
  });

  it('apply to every n-th call after the skipped ones', async () => {
    const loaded = load(scenario('test', tool('after: 1, every: 3, times: 2, reply: { error: gone }')));

    const heard = await hearAll(loaded, 11);

    expect(heard.flatMap((each, index) => (each === 'gone' ? [index + 1] : []))).toEqual([4, 7]);
    expect(loaded.find('test')!.rules).toEqual([{ on: TOOL, seen: 11, hits: 2, remaining: 0 }]);
  });

  it('draw a random number only when every other condition holds', async () => {
    const draws = [0.3, 0.29, 0.9, 0];
    const chance = vi.fn(() => draws.shift()!);
    const rule =
      'when: { body: { tool_name: a } }, after: 1, every: 2, probability: 0.3, times: 2, reply: { error: gone }';
    const loaded = load(scenario('test', tool(rule)), chance);

    const heard: unknown[] = [];
    for (let i = 0; i < 10; i += 1) heard.push(await hear(loaded, TOOL, { body: { tool_name: 'a' } }));
    await hear(loaded, TOOL, { body: { tool_name: 'b' } });

    expect(heard.flatMap((each, index) => (each === 'gone' ? [index + 1] : []))).toEqual([5, 9]);
    expect(chance).toHaveBeenCalledTimes(4);
  });

  it.each([
    [0, 0],
    [1, 100],
  ])('apply with probability %s to %s of 100 calls', async (probability, expected) => {
    const loaded = load(
      scenario('test', tool(`probability: ${probability}, reply: { error: gone }`)),
      Math.random,
    );

    const heard = await hearAll(loaded, 100);

    expect(heard.filter((each) => each === 'gone')).toHaveLength(expected);
  });

  it('let the next rule apply when one skips the call', async () => {
    const loaded = load(
      scenario('test', tool('every: 2, reply: { error: gone }'), tool('reply: { error: internal }')),
    );

    expect(await hearAll(loaded, 4)).toEqual(['internal', 'gone', 'internal', 'gone']);
  });
});

describe('LoadedScenarios', () => {
  it('returns NO_RULE when no scenario is loaded', () => {
    expect(new LoadedScenarios(stage()).outcomeFor(facts(TOOL))).toBe(NO_RULE);
  });

  it('replaces a scenario of the same name and resets its counters', async () => {
    const loaded = load(scenario('test', tool('times: 1, reply: { error: gone }')));
    await hear(loaded, TOOL);

    const again = loaded.load(read(scenario('test', tool('times: 1, reply: { error: internal }'))));

    expect(again).toEqual({ id: 'scn_2', name: 'test' });
    expect(loaded.list()).toEqual([
      { id: 'scn_2', name: 'test', rules: [{ on: TOOL, seen: 0, hits: 0, remaining: 1 }] },
    ]);
    expect(await hearAll(loaded, 2)).toEqual(['internal', undefined]);
  });

  it('unloads by id or name, and returns false when there is none', async () => {
    const loaded = load(scenario('a', tool('reply: { error: gone }')));
    loaded.load(read(scenario('b', tool('reply: { error: internal }'))));

    expect([loaded.unload('scn_1'), loaded.unload('a')]).toEqual([true, false]);
    expect(await hear(loaded, TOOL)).toBe('internal');
    expect(loaded.unload('b')).toBe(true);
    expect(loaded.outcomeFor(facts(TOOL))).toBe(NO_RULE);
  });

  it('continues its ids after clear, and starts at one after reset', () => {
    const loaded = load(scenario('a'.repeat(3), tool('reply: { error: gone }')));
    const again = () => loaded.load(read(scenario('b', tool('reply: { error: gone }')))).id;

    loaded.clear();
    const cleared = again();
    loaded.reset();

    expect([cleared, loaded.list(), again()]).toEqual(['scn_2', [], 'scn_1']);
  });

  it('does not evaluate rules of other operations', () => {
    const loaded = new LoadedScenarios(stage());
    const body = new Proxy({}, { get: () => expect.unreachable(), ownKeys: () => expect.unreachable() });
    const rules = Array.from({ length: 1000 }, () =>
      tool('when: { body: { tool_name: x } }, reply: { error: gone }'),
    );
    loaded.load(read(scenario('many', ...rules)));

    expect(loaded.outcomeFor(facts('UserService_ResendInvite', { body }))).toBe(NO_RULE);
  });
});

describe('the reply of a rule', () => {
  const failureOf = (loaded: LoadedScenarios) =>
    loaded.outcomeFor(facts(TOOL)).apply!().then(
      () => expect.unreachable(),
      (thrown: ApiError) => thrown,
    );

  it('throws an error with everything that the rule defines', async () => {
    const reply = `{ error: tool_error, grpc: RESOURCE_EXHAUSTED, headers: { Retry-After: 2 },
      violations: [{ field: a, description: b }], tool: { code: C, message: quota exceeded } }`;

    const failure = await failureOf(load(scenario('test', tool(`reply: ${reply}`))));

    expect(failure).toBeInstanceOf(ApiError);
    expect([failure.status, failure.message]).toEqual([500, 'quota exceeded']);
    expect(failure.parts).toEqual({
      asWritten: true,
      grpc: 8,
      headers: { 'retry-after': '2' },
      violations: [{ field: 'a', description: 'b', constraint: '' }],
      tool: {
        execution_id: 'exec_55000000050000000',
        tool_error_code: 'C',
        tool_error_message: 'quota exceeded',
      },
    });
  });

  it('has a default message', async () => {
    const failure = await failureOf(load(scenario('test', tool('reply: { error: rate_limited }'))));

    expect(failure.message).toBe('rate limited');
  });

  it('has a www-authenticate header when it is unauthenticated', async () => {
    const failure = await failureOf(load(scenario('test', tool('reply: { error: unauthenticated }'))));

    expect(failure.parts.headers).toEqual({ 'www-authenticate': 'Bearer' });
  });

  it('returns its own status, headers and body', async () => {
    const reply = '{ status: 200, headers: { X-A: b }, body: { data: {}, execution_id: e } }';
    const loaded = load(scenario('test', tool(`reply: ${reply}`)));

    const answer = await loaded.outcomeFor(facts(TOOL)).apply?.();

    expect(answer).toEqual({ status: 200, headers: { 'x-a': 'b' }, body: { data: {}, execution_id: 'e' } });
  });

  it('is marked when it may break the contract', async () => {
    const loaded = load(scenario('test', tool('reply: { status: 299, contract: violated }')));

    const answer = await loaded.outcomeFor(facts(TOOL)).apply?.();

    expect(answer).toEqual({ status: 299, headers: {}, body: undefined, outsideContract: true });
  });
});

describe('a delay', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('waits for the given time, then lets the service respond', async () => {
    const done = vi.fn();
    void load(scenario('test', tool('fault: { delay: 300ms }'))).outcomeFor(facts(TOOL)).apply!().then(done);

    await vi.advanceTimersByTimeAsync(299);
    expect(done).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(done).toHaveBeenCalledWith(undefined);
  });

  it('is drawn between two durations when the call arrives, and precedes the reply', async () => {
    const heard = vi.fn();
    const chance = vi.fn(() => 0.25);
    const rule = tool('fault: { delay: { uniform: [100ms, 500ms] } }, reply: { error: gone }');
    void load(scenario('test', rule), chance).outcomeFor(facts(TOOL)).apply?.().catch(heard);

    expect(chance).toHaveBeenCalledOnce();
    await vi.advanceTimersByTimeAsync(199);
    expect(heard).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(heard).toHaveBeenCalledOnce();
  });
});

describe('a save point of loaded scenarios', () => {
  it('restores the scenarios and their counters, any number of times', async () => {
    const loaded = load(scenario('a', tool('after: 1, times: 2, reply: { error: gone }')));
    await hearAll(loaded, 2);
    const saved = loaded.save();
    const before = loaded.list();

    await hearAll(loaded, 2);
    loaded.load(read(scenario('b', tool('reply: { error: internal }'))));
    loaded.restore(saved);
    const first = [loaded.list(), await hearAll(loaded, 2)];
    loaded.restore(saved);

    expect(first).toEqual([before, ['gone', undefined]]);
    expect([loaded.list(), await hearAll(loaded, 2)]).toEqual([before, ['gone', undefined]]);
    expect(loaded.load(read(scenario('c', tool('reply: { error: gone }')))).id).toBe('scn_2');
  });

  it('can be restored into another instance, and both count separately', async () => {
    const loaded = load(scenario('a', tool('times: 1, reply: { error: gone }')));
    const other = new LoadedScenarios(stage());
    other.restore(loaded.save());

    expect(await hearAll(other, 2)).toEqual(['gone', undefined]);
    expect(await hearAll(loaded, 2)).toEqual(['gone', undefined]);
  });

  it('counts hits for coverage where it was restored', async () => {
    const [here, there] = [new RuleUsage(), new RuleUsage()];
    const loaded = new LoadedScenarios(stage(), here);
    loaded.load(read(scenario('a', tool('times: 1, reply: { error: gone }'))));
    const other = new LoadedScenarios(stage(), there);
    other.restore(loaded.save());

    await hearAll(other, 2);

    expect([here, there].map((usage) => usage.list().map(({ fired }) => fired))).toEqual([[0], [1]]);
  });
});
