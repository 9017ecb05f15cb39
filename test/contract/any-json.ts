import fc from 'fast-check';
import { expect } from 'vitest';
import type { Agent } from '../support/boot.ts';
import type { Documented } from './bad-requests.ts';
import { bodiesLike } from './bodies-like.ts';
import { call } from './refusals.ts';

/** The number of random bodies for each operation in fast and slow tests. */
export const RUNS = { fast: 4, slow: 40 };

/** Sends random JSON and expects no 5xx, except for the expected error codes. */
export async function tryAnyJson(
  agent: Agent,
  operation: Documented,
  numRuns: number,
  expectedCodes: readonly string[] = [],
): Promise<void> {
  await fc.assert(
    fc.asyncProperty(bodiesLike(operation), async (body) => {
      const response = await call(agent, operation, operation.path, body);

      const code = response.body.details?.[0]?.error_code;
      expect({ status: response.status, body: response.body }).toSatisfy(
        () => response.status < 500 || expectedCodes.includes(code),
      );
    }),
    { numRuns },
  );
}
