import { KNOWN_CREDENTIALS } from '../../../../src/start/config.ts';
import { readProbes, type Probe } from '../../src/probes/probe.ts';
import { runProbes, type Target, type Verdict } from '../../src/probes/run.ts';
import type { Booted } from '../../../../test/support/boot.ts';
import { addressOf } from '../../../../test/support/listening.ts';

/** Runs probes against a simulator over HTTP. Waiting takes no time. */
export async function ask(
  { understudy }: Booted,
  probes: readonly Probe[] | string,
  wanted: Partial<Target> = {},
): Promise<Verdict[]> {
  const target: Target = {
    url: addressOf(understudy.app),
    clientId: KNOWN_CREDENTIALS.client_id,
    clientSecret: KNOWN_CREDENTIALS.client_secret,
    prefix: 'probe-1',
    run: '1',
    pace: 0,
    limit: 10_000,
    signal: new AbortController().signal,
    fetch,
    wait: async () => {},
    ...wanted,
  };
  const read = typeof probes === 'string' ? readProbes('test.yaml', probes) : probes;
  return runProbes(read, target, () => {});
}
