import { afterAll, describe, expect, it } from 'vitest';
import { shippedProbes } from '../../src/probes/probe.ts';
import { readRules } from '../../../../scripts/evidence.mjs';
import { bootOnce, type Booted } from '../../../../test/support/boot.ts';
import { listen, type Listener } from '../../../../src/server/port/listener.ts';
import { ask } from '../support/probes.ts';

const { same } = bootOnce();

let opened: Promise<Listener> | undefined;
afterAll(async () => (await opened)?.stop(0));

/** The address of one port for all tests. */
async function addressOf({ understudy }: Booted): Promise<string> {
  const { url } = await (opened ??= listen(understudy, { host: '127.0.0.1', port: 0 }));
  return url;
}

/** The names of what a run makes. */
const MADE = /probe[-_:]1|Understudy 1 /;
const EPHEMERAL = ['auth_logs', 'events', 'mails', 'mcp_sessions', 'passwordless_requests'];

/** The rules that the journal notes with the calls that they decide. */
const DECIDING = new Set(readRules().flatMap(({ id, decides }) => (decides ? [id] : [])));

describe('Understudy does what its probes ask', () => {
  it.each(shippedProbes().map((probe) => [probe.rule, probe] as const))('%s', async (_, probe) => {
    const booted = await same();
    const before = booted.own.journal.list().at(-1)?.number ?? 0;
    const [verdict] = await ask(booted, [probe], { url: await addressOf(booted) });
    const calls = booted.own.journal.list().filter(({ number }) => number > before);
    const noted = calls.flatMap(({ rules }) => rules);
    expect(verdict).toEqual({ rule: probe.rule, verdict: 'same', differences: [], left: verdict!.left });
    const told = probe.steps.filter(({ cannot_undo }) => cannot_undo !== undefined).length;
    expect(verdict!.left).toHaveLength(told);
    if (DECIDING.has(probe.rule)) expect(noted).toContain(probe.rule);
  });

  it('a second time and in another order, too', async () => {
    const booted = await same();
    const verdicts = await ask(booted, shippedProbes().toReversed(), { url: await addressOf(booted) });
    expect(verdicts.filter(({ verdict }) => verdict !== 'same')).toEqual([]);
  });

  it('and keeps only logs and what ends by itself', async () => {
    const { control } = await same();
    const state = (await control.get('/state').expect(200)).body as Record<string, object[]>;
    const left = Object.entries(state).filter(([, rows]) => MADE.test(JSON.stringify(rows)));
    expect(EPHEMERAL).toEqual(expect.arrayContaining(left.map(([name]) => name)));
  });
});
