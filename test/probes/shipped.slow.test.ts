import { describe, expect, it } from 'vitest';
import { shippedProbes } from '../../src/probes/probe.ts';
import { bootOnce } from '../support/boot.ts';
import { ask } from '../support/probes.ts';

const { same } = bootOnce();

describe('Understudy does what its probes ask', () => {
  it.each(shippedProbes().map((probe) => [probe.rule, probe] as const))('%s', async (_, probe) => {
    const [verdict] = await ask(await same(), [probe]);
    expect(verdict).toEqual({ rule: probe.rule, verdict: 'same', differences: [], left: verdict!.left });
    const told = probe.steps.filter(({ cannot_undo }) => cannot_undo !== undefined).length;
    expect(verdict!.left).toHaveLength(told);
  });
});
