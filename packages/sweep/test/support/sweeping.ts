import type { Terminal } from '../../../../src/parts.ts';
import { sweep, type SweepOptions } from '../../src/commands/sweep.ts';

export interface Swept {
  /** What the command printed. */
  out: string;
  err: string;
  hasFailed: boolean;
}

/** Runs `understudy sweep` in this process. */
export async function sweepWith(
  options: Partial<SweepOptions> & Pick<SweepOptions, 'command'>,
  variables: Record<string, string> = {},
): Promise<Swept> {
  const swept: Swept = { out: '', err: '', hasFailed: false };
  const terminal: Terminal = {
    variables: { ...process.env, ...variables },
    platform: process.platform,
    out: (text) => void (swept.out += text),
    err: (text) => void (swept.err += text),
    fail: () => void (swept.hasFailed = true),
  };
  await sweep({ jobs: 2, seed: 1, ...options }, terminal, new AbortController().signal);
  return swept;
}
