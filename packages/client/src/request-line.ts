import type { JournalEntry } from './control.ts';

/** A call, as the activity feed or the journal has it. */
type CallSummary = Pick<
  JournalEntry,
  'id' | 'method' | 'path' | 'operation' | 'status' | 'expected' | 'duration_ms'
>;

const EXPECTED = { call_without_token: 'the SDK gets a token after this' };

export const requestLine = ({
  method,
  path,
  status,
  operation = '-',
  expected,
  duration_ms,
  id,
}: CallSummary): string =>
  `${status ?? '-'} ${method} ${path} ${operation} ${duration_ms} ms ${id}${expected ? ` (${EXPECTED[expected]})` : ''}`;
