import type { RequestHandler } from 'express';
import type { Command } from 'commander';
import type { Controls } from './control/handler.ts';

/** The packages that add something, one line for each. Without a package and its line, everything else works. */
const PACKAGES: readonly (() => Promise<{ part: Part }>)[] = [
  () => import('@understudy/dashboard/part'),
  () => import('@understudy/evidence/part'),
];

/** What a package adds. Nothing else of src/ imports these packages. */
export interface Part {
  /** Commands of the command line. */
  commands?: (shell: Shell) => Promise<readonly Command[]>;
  /** Pages below `/_control/`. Calls of the control API pass them. */
  pages?: (controls: Controls) => RequestHandler;
}

/** What a command gets. */
export interface Shell {
  terminal: Terminal;
  /** The signal is aborted by Ctrl+C, and by the end of the terminal. */
  interruption: () => AbortSignal;
}

/** The terminal in which a command runs, with its variables and outputs. */
export interface Terminal {
  variables: Record<string, string | undefined>;
  platform: NodeJS.Platform;
  out: (text: string) => void;
  err: (text: string) => void;
  /** Makes the program exit with 1 when it ends. */
  fail: () => void;
}

export const loadParts = async (): Promise<Part[]> =>
  (await Promise.all(PACKAGES.map((load) => load()))).map(({ part }) => part);
