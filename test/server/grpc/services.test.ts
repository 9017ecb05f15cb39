import { describe, expect, it } from 'vitest';
import { readContract } from '../../../src/contract/documents.ts';
import { SERVICES } from '../../../src/server/grpc/services.ts';
import { METHODS } from './support.ts';

const { operations } = readContract('openapi');

describe.each(SERVICES.map(({ name, typeName }) => ({ name, typeName })))('$typeName', ({ name }) => {
  it('has an RPC for each of its operations', () => {
    const served = operations.filter(({ base }) => base.startsWith(`${name}_`));
    expect(served.map(({ base }) => base).filter((base) => !METHODS.has(base))).toEqual([]);
  });
});
