import { describe, it } from 'vitest';
import { RUNS, tryAnyJson } from '../contract/any-json.ts';
import { operationsOf } from '../contract/bad-requests.ts';
import { disposable } from './everywhere.ts';

describe.each(operationsOf('control').filter(({ mediaType }) => mediaType === 'application/json'))(
  '$id',
  (operation) => {
    it('accepts or rejects any JSON body, and never responds with a server error', async () => {
      await tryAnyJson(await disposable('1'), operation, RUNS.slow);
    });
  },
);
