import { describe, expect, it } from 'vitest';
import { driftOf, record } from './support.ts';

/** Seeds of the recorded service, with how far its clock is from the recorder's. */
const SERVICES = Array.from({ length: 20 }, (_, i) => ({
  seed: 100 + 7 * i,
  offset: [`0s`, `-14d`, '90s', '400d', '-3s'][i % 5]!,
}));

describe('understudy drift', () => {
  it.each(SERVICES)(
    'finds nothing in a service that does the same: seed $seed, clock $offset',
    async (service) => {
      const { counts, findings, noise } = await driftOf(await record([], service));

      expect(findings).toEqual([]);
      expect(counts).toMatchObject({ drift: 0, unknown: 0 });
      expect(noise).toMatchObject({ id: expect.any(Number), time: expect.any(Number) });
    },
  );
});
