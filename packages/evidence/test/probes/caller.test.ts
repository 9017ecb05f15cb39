import { describe, expect, it } from 'vitest';
import { KNOWN_CREDENTIALS } from '../../../../src/start/config.ts';
import { Caller, type Service } from '../../src/probes/caller.ts';
import { bootOnce } from '../../../../test/support/boot.ts';
import { addressOf } from '../../../../test/support/listening.ts';

const { same } = bootOnce();

/** A caller whose calls number by number may fail, and how long it has waited. */
async function callerWith(
  fails: (number: number) => Response | Error | undefined,
  wanted: Partial<Service> = {},
) {
  const waits: number[] = [];
  let calls = 0;
  const service: Service = {
    url: addressOf((await same()).understudy.app),
    clientId: KNOWN_CREDENTIALS.client_id,
    clientSecret: KNOWN_CREDENTIALS.client_secret,
    pace: 0,
    limit: 100,
    signal: new AbortController().signal,
    fetch: async (address, init) => {
      const fault = fails(++calls);
      if (fault instanceof Error) throw fault;
      return fault ?? fetch(address, init);
    },
    wait: async (milliseconds) => void waits.push(milliseconds),
    ...wanted,
  };
  return { caller: new Caller(service), waits };
}

const CALL = { call: 'GET /api/v1/organizations' };
const broken = () => new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED') });

describe('a caller of a service', () => {
  it('makes a call again that had no answer, after longer and longer waits', async () => {
    const faults = [undefined, broken(), new Response('', { status: 503 }), undefined];
    const { caller, waits } = await callerWith((number) => faults[number - 1], { patience: 4 });

    expect(await caller.call(CALL)).toMatchObject({ status: 200 });
    expect(waits).toEqual([1000, 2000]);
  });

  it('ends after a number of tries, with the reason', async () => {
    const { caller, waits } = await callerWith((number) => (number > 1 ? broken() : undefined), {
      patience: 2,
    });

    await expect(caller.call(CALL)).rejects.toThrow(
      'GET /api/v1/organizations had no answer: connect ECONNREFUSED',
    );
    expect(waits).toEqual([1000, 2000]);
  });

  it('does not try again without patience', async () => {
    const { caller, waits } = await callerWith((number) => (number > 1 ? broken() : undefined));

    await expect(caller.call(CALL)).rejects.toThrow('had no answer');
    expect(waits).toEqual([]);
  });

  it('gets another token when its token has expired, once', async () => {
    const refusals = [2];
    const { caller } = await callerWith((number) =>
      refusals.includes(number) ? new Response('{}', { status: 401 }) : undefined,
    );

    expect(await caller.call(CALL)).toMatchObject({ status: 200 });
    const { caller: other } = await callerWith((number) =>
      [2, 4].includes(number) ? new Response('{}', { status: 401 }) : undefined,
    );
    expect(await other.call(CALL)).toMatchObject({ status: 401 });
  });

  it('waits at most a minute for a service that asks for more, and takes the fourth refusal for an answer', async () => {
    const busy = () => new Response('{}', { status: 429, headers: { 'retry-after': '3600' } });
    const { caller, waits } = await callerWith((number) => (number > 1 ? busy() : undefined));

    expect(await caller.call(CALL)).toMatchObject({ status: 429 });
    expect(waits).toEqual([60_000, 60_000, 60_000]);
  });
});
