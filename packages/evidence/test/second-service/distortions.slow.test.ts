import { describe, expect, it } from 'vitest';
import { DISTORTIONS } from './distortions.ts';
import { driftOf, record } from './support.ts';

describe('understudy drift', () => {
  it.each(DISTORTIONS.map((distortion) => [distortion.name, distortion] as const))(
    'finds %s, and nothing else',
    async (_, distortion) => {
      const recording = await record([distortion], { seed: 77 });

      const { findings } = await driftOf(recording);

      expect(findings.filter(({ verdict }) => verdict !== 'drift')).toEqual([]);
      expect(findings.map(({ subject, kind, severity, at }) => ({ subject, kind, severity, at }))).toEqual([
        distortion.finds,
      ]);
    },
  );
});
