import type { Case } from '../plan.ts';
import type { CaseResult } from '../run-batch.ts';

interface Lanes {
  /** How many batches run at once. */
  jobs: number;
  /** Milliseconds after which no batch begins. */
  time?: number;
  signal: AbortSignal;
  run: (batch: readonly Case[]) => Promise<CaseResult[]>;
  onDone: (results: readonly CaseResult[]) => void;
}

/** Runs batches in order, some at once, until they are over, the time is up or the sweep is interrupted. */
export async function runAll(
  batches: readonly (readonly Case[])[],
  { jobs, time = Infinity, signal, run, onDone }: Lanes,
): Promise<void> {
  const end = performance.now() + time;
  const waiting = batches.values();
  const lane = async () => {
    for (const batch of waiting) {
      if (signal.aborted || performance.now() > end) return;
      const found = await run(batch);
      if (!signal.aborted) onDone(found);
    }
  };
  await Promise.all(Array.from({ length: jobs }, lane));
}
