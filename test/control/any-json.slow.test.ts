import { describe, it } from 'vitest';
import { RUNS, tryAnyJson } from '../contract/any-json.ts';
import { operationsOf } from '../contract/bad-requests.ts';
import { disposable } from './everywhere.ts';

describe.each(operationsOf('control').filter(({ mediaType }) => mediaType === 'application/json'))(
  '$id',
  (operation) => {
    it('answers whatever JSON it is sent, and never with a failure of its own', async () => {
      await tryAnyJson(await disposable('1'), operation, RUNS.slow);
    });
  },
);
