import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { proposalFor } from '../../src/drift/proposal.ts';
import { packageFiles } from '../../../../test/support/boot.ts';
import { makeFolder } from '../../../../test/support/process.ts';
import { DISTORTIONS } from './distortions.ts';
import { driftOf, record } from './support.ts';

/** What a rule of a scenario can express. */
const EXPRESSIBLE = [
  'another error code',
  'another status of an error',
  'another default',
  'another value of an enum',
  'an enum value that the contract lacks',
  'a removed field that is optional',
  'another total',
  'another field of an event',
];

const named = (names: readonly string[]) => DISTORTIONS.filter(({ name }) => names.includes(name));

it('a proposed scenario makes Understudy answer as the service did', async () => {
  // Two that change the same field: one of them is enough.
  const distortions = named(EXPRESSIBLE).filter(
    ({ name }) => name !== 'an enum value that the contract lacks',
  );
  const recording = await record(distortions, { seed: 77 });
  const { findings } = await driftOf(recording);
  const { scenario, left } = proposalFor(findings, recording.exchanges, packageFiles.contract);
  const file = join(makeFolder(), 'as-recorded.yaml');
  writeFileSync(file, scenario!);

  const after = await driftOf(recording, { scenarios: [file] });

  expect(findings).toHaveLength(distortions.length);
  expect(left).toEqual([]);
  expect(after.findings).toEqual([]);
});

it('a proposed overlay adds what the contract lacks, and makes nothing required', async () => {
  const recording = await record(named(['an enum value that the contract lacks', 'an added field']), {
    seed: 77,
  });
  const { findings } = await driftOf(recording);

  const { overlay } = proposalFor(findings, recording.exchanges, packageFiles.contract);

  expect(parse(overlay!)).toMatchObject({
    overlay: '1.0.0',
    actions: [
      { target: '$.components.schemas.PortalLink.properties', update: { opened_count: { type: 'number' } } },
      { target: '$.components.schemas.DomainType', update: { enum: ['COMPANY_DOMAIN'] } },
    ],
  });
});

it('what one call cannot show is in no proposal', async () => {
  const recording = await record(
    named(['another order of a list that has one', 'another status of success']),
    { seed: 77 },
  );
  const { findings } = await driftOf(recording);

  const { scenario, overlay, left } = proposalFor(findings, recording.exchanges, packageFiles.contract);

  expect({ scenario, overlay }).toEqual({ scenario: undefined, overlay: undefined });
  expect(left).toEqual(findings);
});
