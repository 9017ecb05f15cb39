import type { Booted } from '../support/boot.ts';

/** The parts of a valid request that the example of the contract does not contain. */
export interface Wanted {
  query?: string;
  body?: unknown;
  headers?: Record<string, string>;
  /** Runs before the request; what it returns overrides the members above. */
  prepare?: (booted: Booted) => Promise<{ body?: unknown; query?: string; headers?: Record<string, string> }>;
}
