import { describe, it } from 'vitest';
import { RUNS, tryAnyJson } from '../contract/any-json.ts';
import { operationsOf } from '../contract/bad-requests.ts';
import { bootOnce } from '../support/boot.ts';

const { fresh } = bootOnce();

describe.each(operationsOf('openapi').filter(({ mediaType }) => mediaType === 'application/json'))(
  '$id',
  (operation) => {
    it('answers whatever JSON it is sent, and never with a failure of its own', async () => {
      const { api } = await fresh();

      // A tool may fail; everything else that fails with a 500 is a bug of ours.
      await tryAnyJson(api, operation, RUNS.slow, ['TOOL_ERROR']);
    });
  },
);
