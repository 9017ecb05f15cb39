import { describe, expect, it } from 'vitest';
import { piecesOf } from '../../src/cli/warm-up.ts';
import { boot } from '../support/boot.ts';

describe('what the service prepares while it is idle', () => {
  it('can all be prepared', async () => {
    const { understudy } = await boot();

    const prepared = await Promise.all((await piecesOf(understudy.controls)).map((piece) => piece()));

    expect(prepared.every(Boolean)).toBe(true);
  });
});
