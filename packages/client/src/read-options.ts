import { CALL, checkOptions, type NamesOf } from './transport.ts';
import type { CallOptions } from './types.ts';

/** Of which moment rows are read. */
export interface ReadOptions extends CallOptions {
  /**
   * Instead of now: after a request such as `req_17`, at a time by the clock of the environment, or after a number of
   * commits.
   */
  at?: string | undefined;
}

export const READ: NamesOf<ReadOptions> = { ...CALL, at: true };

/** Refuses options that no read takes. */
export function readOptions(call: string, wanted: ReadOptions): ReadOptions {
  checkOptions(call, wanted, READ);
  return wanted;
}
