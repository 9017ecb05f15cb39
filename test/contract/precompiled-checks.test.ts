import { describe, expect, it } from 'vitest';
import { Contract } from '../../src/contract/contract.ts';
import { responseOf } from '../../src/contract/compiled.ts';
import { isPlain, responseKey } from '../../src/contract/validators.ts';
import { readChecks, readContract } from '../../src/contract/documents.ts';
import { COLLECTIONS, TABLES } from '../../src/state/schema.ts';

const ROWS = ['State', ...COLLECTIONS.map((name) => TABLES[name].schema)];
const ORGANIZATION = 'OrganizationService_GetOrganization';
const acceptAll = () =>
  new Proxy(readChecks('openapi')!, {
    get: (checks, name) => (name === 'response' ? () => () => true : (checks[name as 'digest'] as unknown)),
  });

describe('the checks that the build compiles', () => {
  it('cover each success with JSON', () => {
    const contract = readContract('openapi');
    const checks = readChecks('openapi')!;

    const missing = contract.operations.filter((operation) => {
      const declared = responseOf(operation, operation.status);
      if (!declared?.content?.['application/json']) return false;
      return checks.response(responseKey(operation, operation.status, declared)) === undefined;
    });

    expect(missing.map(({ id }) => id)).toEqual([]);
  });

  it('cover each request with plain parameters and no body', () => {
    const { operations } = readContract('openapi');
    const checks = readChecks('openapi')!;

    const missing = operations.filter(
      (operation) => isPlain(operation) && !operation.requestBody && !checks.request(operation, ''),
    );

    expect(missing.map(({ id }) => id)).toEqual([]);
  });

  it('are used for their own document only', () => {
    const compiled = readContract('openapi');
    const own = new Contract(compiled, acceptAll);
    const other = new Contract({ ...compiled, digest: 'other' }, acceptAll);
    const operation = own.operation(ORGANIZATION)!;

    const complaints = [own, other].map((contract) => contract.responseComplaints(operation, 200, {}).length);

    expect(complaints).toEqual([0, 1]);
  });

  it.each(ROWS)('say of a row what the library says: %s', (name) => {
    const checks = readChecks('control')!;
    const [own, library] = [checks, undefined].map(
      (each) => new Contract(readContract('control'), () => each),
    );
    const wrong = [{}, { id: 5, unknown: 1, metadata: 'x', create_time: 'x' }, []];

    expect(checks.schema(name)).toBeDefined();
    for (const row of wrong) expect(own!.checkSchema(name, row)).toEqual(library!.checkSchema(name, row));
  });

  it('leave it to the library to say what is wrong', () => {
    const contract = new Contract(readContract('openapi'), () => readChecks('openapi'));
    const operation = contract.operation(ORGANIZATION)!;

    const complaints = contract.responseComplaints(operation, 200, {});

    expect(complaints).toMatchObject([{ message: "must have required property 'organization'" }]);
  });
});
