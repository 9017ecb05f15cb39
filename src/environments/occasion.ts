import type { Contract } from '../contract/contract.ts';
import type { Clock } from '../world/clock.ts';
import type { SchemaChecks } from '../world/json-schema.ts';
import type { Keys, UnsignedToken } from '../world/keys.ts';
import type { Verdicts } from '../world/question.ts';
import type { RowChange } from '../world/row-change.ts';
import type { Caller } from '../world/world.ts';

/** Who asks for a unit of work, and from where. */
export interface Occasion {
  caller?: Caller | undefined;
  baseUrl: string;
  /** Nothing that is written stays: for whoever only asks what would be answered. */
  leavesNothing?: boolean;
  /** Rows are put where they should be from the start: nothing has happened that events would tell of. */
  isSetUp?: boolean;
  /** What interceptors have said already; none has been asked where there are none. */
  verdicts?: Verdicts | undefined;
}

export interface Committed<T> {
  result: T;
  changes: RowChange[];
  /** Still to be signed, by the text that stands for the token in the result. */
  tokens: ReadonlyMap<string, UnsignedToken>;
}

/** What all worlds of a process have in common; nothing in it changes what a world answers. */
export interface Shared {
  keys: Keys;
  schemas: SchemaChecks;
  autoLogin?: string | undefined;
  /** The control API's contract, which describes the stored rows. */
  rows: Contract;
  /** Told of what goes wrong while nobody calls. */
  report: (message: string, cause: unknown) => void;
  /** Told of what the person who runs the program must know. */
  warn: (line: string) => void;
  /** How many rows each history of an environment keeps. */
  history: number;
}

export interface WorldParts {
  name: string;
  seed: number;
  clock: Clock;
  shared: Shared;
  /** Called with what a unit of work changed, before it stands; a throw undoes it. */
  onCommit: (changes: readonly RowChange[]) => void;
  /** Called when a row has got a time at which it will change. */
  onDeadline: (at: number) => void;
}
