import type { Operation } from '../contract/compiled.ts';
import type { CallFacts } from './script.ts';

/** What a rule may look at of something that the service sends; `to`: the address of whoever is called. */
export const factsOfMessage = (
  operation: Operation,
  { body, to }: { body: unknown; to: string },
): CallFacts => ({
  operation,
  body,
  to,
  protocol: 'http/1.1',
  method: operation.method,
  path: operation.path,
  params: {},
  query: {},
  headers: {},
  caller: undefined,
});
