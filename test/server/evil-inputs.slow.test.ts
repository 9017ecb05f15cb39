import { describe, expect, it } from 'vitest';
import type { Response } from 'supertest';
import { boot, type Booted } from '../support/boot.ts';
import { EVIL_INPUTS, type EvilCall, type EvilInput } from '../support/evil-inputs.ts';
import { longestTurn } from '../support/longest-turn.ts';

/**
 * The longest turn in milliseconds of processor time. The aim is 100 on a quiet machine, which `npm run bench` measures in a process of
 * its own. Here, the caller takes part in the turns, and busy machines need more. Each of these inputs once took longer or never ended.
 */
const MOST = 300;
const GROUP = 16;

const groups = Array.from({ length: Math.ceil(EVIL_INPUTS.length / GROUP) }, (_, i) =>
  EVIL_INPUTS.slice(i * GROUP, (i + 1) * GROUP),
);

async function say({ api }: Booted, { method, path, body, type, headers = {} }: EvilCall) {
  const verb = method.toLowerCase() as 'get' | 'post' | 'put' | 'patch';
  const call = api[verb](path).set(headers);
  if (body === undefined) return call;
  return call.type(type ?? 'application/json').send(body);
}

async function turnOf(
  booted: Booted,
  input: EvilInput,
): Promise<{ turn: number; failed: string | undefined }> {
  for (const call of input.first ?? []) await say(booted, call);
  let answer: Response | undefined;
  const turn = await longestTurn(async () => (answer = await say(booted, input)));
  const { status, body } = answer!;
  const { message = '' } = body as { message?: string };
  // A rule whose reply cannot be made is reported to the caller, because only the scenario is wrong.
  const told = status === 501 || message.startsWith('scenario evil, rules[');
  return {
    turn,
    failed: status >= 500 && !told ? `${status} ${message}` : undefined,
  };
}

describe('a request of 1 MB', () => {
  it.each(groups.map((group) => [group[0]!.name, group.at(-1)!.name, group] as const))(
    'is handled in turns of limited processor time: %s to %s',
    async (_first, _last, group) => {
      const booted = await boot({ brokenContract: true });
      const slow: string[] = [];
      for (const input of group) {
        const { turn, failed } = await turnOf(booted, input);
        if (turn > MOST || failed) slow.push(`${input.name}: ${Math.round(turn)} ms, ${failed ?? 'in time'}`);
        await booted.control.delete('/scenarios').expect(204);
      }

      expect(slow).toEqual([]);
    },
    180_000,
  );
});

describe('the cost of a call', () => {
  /**
   * Compares two inputs, one four times as long as the other: a quadratic cost would be sixteen times as
   * high.
   */
  it.each([
    ['journal globs', (n: number) => `/requests?path=${'*a'.repeat(n)}!`, [20, 80]],
    ['names of a form', undefined, [2500, 9999]],
  ] as const)('grows no faster than its input: %s', async (_what, path, sizes) => {
    const booted = await boot();
    await booted.api.get(`/${'a'.repeat(12_000)}`);
    const costs: number[] = [];
    for (const size of sizes) {
      const form = Array.from({ length: size }, (_each, i) => `n${i}=1`).join('&');
      const input: EvilCall = path
        ? { method: 'GET', path: `/_control/v1${path(size)}` }
        : { method: 'POST', path: '/oauth/token', body: form, type: 'application/x-www-form-urlencoded' };
      const taken: number[] = [];
      for (let i = 0; i < 5; i += 1) taken.push((await turnOf(booted, { name: '', ...input })).turn);
      costs.push(Math.min(...taken));
    }

    expect(costs[1]! / Math.max(costs[0]!, 5)).toBeLessThan(10);
  });
});
