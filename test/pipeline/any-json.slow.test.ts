import { describe, it } from 'vitest';
import { RUNS, tryAnyJson } from '../contract/any-json.ts';
import { operationsOf } from '../contract/bad-requests.ts';
import { bootOnce } from '../support/boot.ts';

const { fresh } = bootOnce();

describe.each(operationsOf('openapi').filter(({ mediaType }) => mediaType === 'application/json'))(
  '$id',
  (operation) => {
    it('answers random JSON without an internal error', async () => {
      const { api } = await fresh();

      // A tool can fail; any other 500 is a bug.
      await tryAnyJson(api, operation, RUNS.slow, ['TOOL_ERROR']);
    });
  },
);
