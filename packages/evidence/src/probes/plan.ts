import { nameOf } from './caller.ts';
import { type Probe, type Step } from './probe.ts';

/** What a run will do, before it does it. */
interface Plan {
  probes: number;
  calls: number;
  /** Calls that make something, with how often; each has a call that removes it. */
  creates: Map<string, number>;
  /** Calls that change or remove what the run has made. */
  changes: Map<string, number>;
  /** Calls that change nothing. */
  reads: Map<string, number>;
  /** Calls that make nothing that stays, such as those that must be refused. */
  others: Map<string, number>;
  /** What stays behind, in words. */
  leaves: string[];
}

export function planOf(probes: readonly Probe[]): Plan {
  const steps = probes.flatMap(({ steps }) => steps);
  const of = (wanted: Effect) => countsOf(steps.filter((step) => effectOf(step) === wanted));
  return {
    probes: probes.length,
    calls: steps.length + steps.filter(({ undo }) => undo !== undefined).length,
    creates: of('creates'),
    changes: of('changes'),
    reads: of('reads'),
    others: of('others'),
    leaves: [...new Set(steps.flatMap(({ cannot_undo }) => cannot_undo ?? []))],
  };
}

type Effect = 'creates' | 'changes' | 'reads' | 'others';

/** A step that reads may have an `undo`: it finds the id of what an earlier step has made. */
function effectOf(step: Step): Effect {
  const name = nameOf(step);
  if (/^(GET|HEAD) |\/(Get|List)/.test(name)) return 'reads';
  if (step.undo !== undefined) return 'creates';
  return /^(PUT|PATCH|DELETE) |\/(Update|Delete)/.test(name) ? 'changes' : 'others';
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

/** What every run leaves. */
const STAYS = [
  'what the service logs of these calls, such as events',
  'tokens, links and unfinished sign-ins, until they expire',
  'mails to addresses below example.com, which has no mailboxes',
];

export function planLines(plan: Plan, run: string): string[] {
  const { probes, calls, creates, changes, reads, others, leaves } = plan;
  return [
    `${probes === 1 ? '1 probe makes' : `${probes} probes make`} at most ${calls} calls. The names of all that they make contain ${run}.`,
    ...section('creates, and removes at the end:', creates),
    ...section('changes or removes, of what it has made:', changes),
    ...section('makes nothing that stays:', others),
    ...section('only reads:', reads),
    'cannot be undone:',
    ...[...STAYS, ...leaves].map((each) => `  ${each}`),
  ];
}

const section = (title: string, counts: ReadonlyMap<string, number>) =>
  counts.size === 0
    ? []
    : [title, ...Array.from(counts, ([call, count]) => `  ${String(count).padStart(4)} × ${call}`)];
