import { expect, it } from 'vitest';
import { planLines, planOf } from '../../src/probes/plan.ts';
import { shippedProbes } from '../../src/probes/probe.ts';

const sum = (counts: ReadonlyMap<string, number>) => [...counts.values()].reduce((a, b) => a + b, 0);

it('a plan lists each call once, and calls that read by themselves', () => {
  const probes = shippedProbes();

  const plan = planOf(probes);

  const steps = probes.flatMap((probe) => probe.steps);
  expect([plan.creates, plan.changes, plan.others, plan.reads].map(sum).reduce((a, b) => a + b)).toBe(
    steps.length,
  );
  expect([...plan.creates.keys()].filter((call) => call.startsWith('GET '))).toEqual([]);
  expect([...plan.reads.keys()].filter((call) => /^(POST|PUT|PATCH|DELETE) \/api\//.test(call))).toEqual([]);
  const lines = planLines(plan, 'x');
  expect(lines).toContain('only reads:');
  expect(lines.slice(lines.indexOf('cannot be undone:') + 1)).toContain(
    '  mails to addresses below example.com, which has no mailboxes',
  );
});

it('no probe sends a mail to an address that somebody could have', () => {
  const addresses = JSON.stringify(shippedProbes()).matchAll(/[\w${}.+-]+@([\w${}.-]+)/g);

  for (const [address, domain] of addresses) expect(domain, address).toMatch(/(^|\.)example\.com$/);
});
