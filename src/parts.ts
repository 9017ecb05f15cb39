import type { RequestHandler } from 'express';
import type { Command } from 'commander';
import type { SharedApis } from './control/shared-apis.ts';
import type { ControlOperations, Controls } from './control/handler.ts';
import type { Apis } from './control/serve.ts';
import type { OpenDatabase } from './environment/open-store.ts';
import type { Services } from './operations/index.ts';
import type { Links } from './operations/magic-links.ts';
import type { Call, WrittenReply } from './pipeline/call.ts';
import type { LoadKinds } from './webhooks/outgoing-calls.ts';

/** The packages that add something, one line for each. Without a package and its line, everything else works. */
const PACKAGES: readonly (() => Promise<{ part: Part }>)[] = [
  () => import('@understudy/accounts/part'),
  () => import('@understudy/commands/part'),
  () => import('@understudy/dashboard/part'),
  () => import('@understudy/evidence/part'),
  () => import('@understudy/portals/part'),
  () => import('@understudy/provisioning/part'),
  () => import('@understudy/sso/part'),
  () => import('@understudy/agents/part'),
  () => import('@understudy/bundle/part'),
  () => import('@understudy/postgresql/part'),
  () => import('@understudy/sweep/part'),
];

/** What a package adds. No other file of src/ imports these packages. */
export interface Part {
  /** The commands that the package adds to the command line. */
  commands?: (shell: Shell) => Promise<readonly Command[]>;
  /** Operations of the contract, by service. Each is loaded at its first call. */
  services?: Partial<Services>;
  /** Links that the service sends, by the suffix of their token. */
  links?: Links;
  /** Calls that the service makes when they are due. Loaded with the first due call. */
  calls?: LoadKinds;
  /** Operations of the control API. */
  control?: Partial<ControlOperations>;
  /** Pages below `/_control/`. Other calls go on to the control API. */
  pages?: (controls: Controls) => RequestHandler;
  /** Answers messages of the Model Context Protocol at `/_control/mcp`. Loaded at the first message. */
  agents?: (controls: Controls, apis: Apis) => Promise<AnswerAgent>;
  /** Stores environments in a database. The code, with the driver, is loaded only with `--store`. */
  database?: () => Promise<DatabasePart>;
  /** What the service prepares while it is idle. */
  warmUp?: (controls: Controls) => readonly Piece[];
}

/** What a package adds so that several processes can serve the same environments. */
export interface DatabasePart {
  openDatabase: OpenDatabase;
  SharedCalls: new (controls: Controls) => SharedApis;
}

export type AnswerAgent = (call: Call) => Promise<WrittenReply>;

/** Loads code, and reads what it needs, in one turn. */
export type Piece = () => Promise<unknown>;

/** What a command gets. */
export interface Shell {
  terminal: Terminal;
  /** The signal is aborted by Ctrl+C, and by the end of the terminal. */
  interruption: () => AbortSignal;
  /** Ends the program, even if something still listens. */
  exit: () => never;
}

/** The terminal in which a command runs, with its variables and outputs. */
export interface Terminal {
  variables: Record<string, string | undefined>;
  platform: NodeJS.Platform;
  /** Whether `err` is a terminal, where a line of progress can be overwritten. */
  isWatched?: boolean;
  out: (text: string) => void;
  err: (text: string) => void;
  /** Makes the program exit with 1 when it ends. */
  fail: () => void;
}

export const loadParts = async (): Promise<Part[]> =>
  (await Promise.all(PACKAGES.map((load) => load()))).map(({ part }) => part);
