import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { boot, type Booted } from '../support/boot.ts';

const ORGANIZATIONS = '/api/v1/organizations';

interface Bar {
  time: string;
  calls: number;
  failed: number;
}

interface Summary {
  failed: number;
  bar_ms: number;
  bars: Bar[];
  failures: { operation?: string; status?: number; cause: string; count: number; latest: string }[];
  more_failures: number;
}

const summaryOf = async ({ control }: Pick<Booted, 'control'>, query = ''): Promise<Summary> =>
  (await control.get(`/requests?limit=0&summary=true${query}`).expect(200)).body.summary;

const sum = (bars: readonly Bar[], of: 'calls' | 'failed') => bars.reduce((total, bar) => total + bar[of], 0);

/** Puts a call into the journal without making it, at a time of the environment's clock. */
function record({ own }: Booted, time: number, status: number): void {
  const request = { protocol: 'http/1.1', method: 'GET', path: '/made', query: {}, headers: {} };
  const entry = own.journal.open({ ...request, body: undefined, size: 0 }, time);
  entry.close({ status, headers: {}, body: undefined, text: '' });
}

describe('Control_ListRequests with a summary', () => {
  it('groups the calls that failed by operation, status and cause', async () => {
    const booted = await boot();
    const { api, anonymous, control } = booted;
    await api.get(`${ORGANIZATIONS}/org_404`).expect(404);
    await api.get(`${ORGANIZATIONS}/org_405`).expect(404);
    await api.post(ORGANIZATIONS).send({ display_name: '' }).expect(400);
    await anonymous.get(ORGANIZATIONS).expect(401);
    await anonymous.get(ORGANIZATIONS).set('x-sdk-version', 'Scalekit-Node/2.11.0').expect(401);
    await control.post('/scenarios').send({ name: 'internal-error' }).expect(201);
    await api.get(ORGANIZATIONS).expect(500);

    const { failed, failures, more_failures } = await summaryOf(booted);

    expect(failures.map(({ operation, status, cause, count }) => [operation, status, cause, count])).toEqual([
      ['OrganizationService_GetOrganization', 404, 'RESOURCE_NOT_FOUND', 2],
      ['OrganizationService_CreateOrganization', 400, 'INVALID_ARGUMENT: organization.display_name', 1],
      ['OrganizationService_ListOrganization', 401, 'UNAUTHENTICATED', 1],
      ['OrganizationService_ListOrganization', 500, 'scenario internal-error', 1],
    ]);
    expect([failed, more_failures]).toEqual([5, 0]);
  });

  it('covers the calls that the filter leaves, and is absent without the parameter', async () => {
    const booted = await boot();
    const { api, control } = booted;
    await api.get(`${ORGANIZATIONS}/org_404`).expect(404);
    await api.get(ORGANIZATIONS).expect(200);

    const { bars, failures } = await summaryOf(booted, '&status=2xx&operation=OrganizationService_*');

    expect([sum(bars, 'calls'), failures]).toEqual([1, []]);
    expect(await summaryOf(booted, '&status=5xx')).toEqual({
      failed: 0,
      bar_ms: 1000,
      bars: [],
      failures: [],
      more_failures: 0,
    });
    expect((await control.get('/requests').expect(200)).body).not.toHaveProperty('summary');
  });

  it('shows the 50 most frequent groups, and how many it leaves out', async () => {
    const booted = await boot();
    for (let status = 400; status < 460; status += 1) record(booted, 0, status);
    record(booted, 0, 459);

    const { failures, more_failures } = await summaryOf(booted);

    expect([failures.length, more_failures]).toEqual([50, 10]);
    expect(failures[0]).toMatchObject({ status: 459, count: 2, latest: 'req_62' });
  });

  const time = fc.integer({ min: 0, max: 4_000_000_000_000 });
  const calls = fc.array(fc.tuple(time, fc.constantFrom(200, 404)), { minLength: 1, maxLength: 20 });

  it('has each call in the bar of its time', async () => {
    await fc.assert(
      fc.asyncProperty(calls, async (made) => {
        const booted = await boot();
        for (const [at, status] of made) record(booted, at, status);

        const { bars, bar_ms, failed } = await summaryOf(booted, '&path=/made');

        expect(bars.length).toBeLessThanOrEqual(61);
        expect([sum(bars, 'calls'), sum(bars, 'failed')]).toEqual([made.length, failed]);
        for (const { time: begins, calls: count } of bars) {
          const begin = Date.parse(begins);
          expect(count).toBe(made.filter(([at]) => at >= begin && at < begin + bar_ms).length);
        }
      }),
      { numRuns: 30 },
    );
  });
});
