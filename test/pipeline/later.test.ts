import { describe, expect, it } from 'vitest';
import { readContract } from '../../src/documents.ts';
import { boot } from '../support/boot.ts';

const later = readContract('openapi').operations.filter((operation) => operation.later);

describe('an operation that is not implemented yet', () => {
  it('is in the contract and answers 501', async () => {
    const { api, anonymous } = await boot();

    for (const { id, base, method, path } of later) {
      const verb = method.toLowerCase() as 'get' | 'post' | 'put' | 'patch' | 'delete';
      const address = path
        .replaceAll(/\{organization_id\}/g, 'org_10000000000000001')
        .replaceAll(/\{[^}]+\}/g, 'dom_10000000000000001');

      const response = await api[verb](address);

      expect([id, response.status, response.body]).toEqual([
        id,
        501,
        {
          code: 12,
          message: `${base} is not implemented`,
          details: [
            { '@type': 'type.googleapis.com/scalekit.v1.errdetails.ErrorInfo', error_code: 'UNIMPLEMENTED' },
          ],
        },
      ]);
      await anonymous[verb](address).expect(401);
    }
  });
});
