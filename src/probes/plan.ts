import { nameOf } from './caller.ts';
import { type Probe, type Step } from './probe.ts';

/** What a run will do, before it does it. */
export interface Plan {
  probes: number;
  calls: number;
  /** Calls that make something, with how often; each has a call that removes it. */
  creates: Map<string, number>;
  /** Calls that change or remove what the run has made. */
  changes: Map<string, number>;
  /** What stays behind, in words. */
  leaves: string[];
}

export function planOf(probes: readonly Probe[]): Plan {
  const steps = probes.flatMap(({ steps }) => steps);
  return {
    probes: probes.length,
    calls: steps.length + steps.filter(({ undo }) => undo !== undefined).length,
    creates: countsOf(steps.filter(({ undo }) => undo !== undefined)),
    changes: countsOf(
      steps.filter(
        (step) => step.undo === undefined && /^(PUT|PATCH|DELETE) |\/(Update|Delete)/.test(nameOf(step)),
      ),
    ),
    leaves: [...new Set(steps.flatMap(({ cannot_undo }) => cannot_undo ?? []))],
  };
}

function countsOf(steps: readonly Step[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const step of steps) {
    const name = nameOf(step)
      .replaceAll(/\$\{[^{}]*\}/g, '…')
      .replace(/\?.*/, '');
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return new Map([...counts].toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

export function planLines({ probes, calls, creates, changes, leaves }: Plan, run: string): string[] {
  return [
    `${probes === 1 ? '1 probe makes' : `${probes} probes make`} at most ${calls} calls. The names of all that they make contain ${run}.`,
    ...section('creates, and removes at the end:', creates),
    ...section('changes or removes, of what it has made:', changes),
    ...(leaves.length > 0 ? ['cannot be undone:', ...leaves.map((each) => `  ${each}`)] : []),
  ];
}

const section = (title: string, counts: ReadonlyMap<string, number>) =>
  counts.size === 0
    ? []
    : [title, ...Array.from(counts, ([call, count]) => `  ${String(count).padStart(4)} × ${call}`)];
