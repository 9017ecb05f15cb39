import type { Booted } from '../support/boot.ts';

/** What a valid request has beside what the document's example says, in the default environment. */
export interface Wanted {
  query?: string;
  body?: unknown;
  headers?: Record<string, string>;
  /** What must have happened before; what it tells takes the place of what is said above. */
  prepare?: (booted: Booted) => Promise<{ body?: unknown; query?: string; headers?: Record<string, string> }>;
}
