import { expect, it } from 'vitest';
import { sweepSdk } from '../src/commands/sdk.ts';

it('the table of an SDK says how often it calls, and what it throws', async () => {
  let out = '';
  const terminal = {
    variables: process.env,
    platform: process.platform,
    out: (text: string) => void (out += text),
    err: () => {},
    fail: () => {},
  };

  await sweepSdk('node', { jobs: 2, seed: 1 }, terminal, new AbortController().signal);

  expect(out).toContain(
    '| failure | OrganizationService_GetOrganization | OrganizationService_CreateOrganization |',
  );
  expect(out).toMatch(/^\| `rate-limited` \| throws ScalekitTooManyRequestsException after 1 call \|/m);
  // A client that has a token has all of its retries left.
  expect(out).toMatch(/^\| `outage` \| throws ScalekitServiceUnavailableException after 4 calls/m);
  expect(out).toMatch(/^\| `token-expired` \| succeeds after 2 calls, pauses \d/m);
});
