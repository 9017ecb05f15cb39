import type { ClockSettings } from './clock.ts';
import type { Credentials } from './credentials.ts';
import type { RestSettings } from './rest-watch.ts';

export interface NewEnvironment {
  name?: string | undefined;
  /** A fixture's name or file. */
  fixture?: string | undefined;
  seed?: number | undefined;
  /** Undefined: as `--strict` says. */
  strict?: boolean | undefined;
  clock?: ClockSettings | undefined;
  persist?: boolean | undefined;
}

export interface EnvironmentsSettings {
  seed: number;
  /** The most environments besides `default`. */
  limit: number;
  /** Milliseconds without use before an environment is dropped; Infinity: never. */
  idleLimit: number;
  /** When stored environments are put to rest. */
  rest: RestSettings;
  /** Whether all environments are stored, so that other processes find them. */
  isShared: boolean;
  /** Credentials of `default`. */
  credentials: Credentials;
}
