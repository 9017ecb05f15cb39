import { describe, expect, it } from 'vitest';
import { readContract } from '../../src/contract/documents.ts';
import { addressesOf } from '../support/addresses.ts';
import { boot, bootOnce, type Booted } from '../support/boot.ts';
import { operationsOf, type Documented } from './bad-requests.ts';
import { call, expectRefusal } from './refusals.ts';
import { NO_ROW, OUT_OF_REACH, WANTED } from './valid-requests.ts';

const { same } = bootOnce();

const compiled = new Map(readContract('openapi').operations.map((operation) => [operation.id, operation]));
const operations = operationsOf('openapi');
const reachable = operations.filter(({ id }) => !(id in OUT_OF_REACH));
const ofOneRow = operations.filter(({ id, template }) => template.includes('{') && !(id in NO_ROW));

describe.each(reachable)('$id', (operation) => {
  it('succeeds with a valid request', async () => {
    const booted = await boot();
    const { status } = compiled.get(operation.id)!;

    const statuses = await answersTo(operation, booted, status);

    expect(statuses).toContain(status);
  });
});

/** Calls the operation for each possible row until one call succeeds and returns the statuses. */
async function answersTo(operation: Documented, booted: Booted, success: number): Promise<number[]> {
  const { query = '', body = operation.body, headers = {}, prepare } = WANTED[operation.id] ?? {};
  const prepared = await prepare?.(booted);
  const { body: state } = await booted.control.get('/state').expect(200);
  const statuses: number[] = [];
  for (const address of addressesOf(operation.template, state)) {
    const sent = await call(
      booted.api,
      operation,
      `${address}?${prepared?.query ?? query}`,
      prepared?.body ?? body,
    ).set({ ...headers, ...prepared?.headers });
    const { status } = sent;
    statuses.push(status);
    if (status === success) break;
  }
  return statuses;
}

describe.each(ofOneRow)('$id', (operation) => {
  it('answers 404 for an unknown row', async () => {
    const { api } = await same();
    // The samples of the contract are valid ids, but no row of the default environment has them.
    const { query = '', body = operation.body } = WANTED[operation.id] ?? {};

    // The sample has the queries that must be there, too.
    const [path = ''] = query ? operation.path.split('?') : [operation.path];
    const response = await call(api, operation, `${path}?${query}`, body);

    if (operation.dialect === 'service')
      expect([response.body.message, response.status]).toEqual([expect.any(String), 404]);
    expectRefusal(response, [404], operation);
  });
});
