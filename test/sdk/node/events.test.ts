import { ScalekitBadRequestException, Source } from '@scalekit-sdk/node';
import { expect, it } from 'vitest';
import { ACME, enter, expectThrottledOnce } from './support.ts';

const env = await enter();
const { events } = env.connect();

it('pages through events, newest first', async () => {
  const ofAcme = { organizationId: ACME };
  const first = await events.listEventsPaginated(1, '', ofAcme);
  const second = await events.listEventsPaginated(1, first.nextPageToken, ofAcme);
  expect([...first.events, ...second.events]).toMatchObject([
    { type: 'interceptor.executed', organizationId: ACME },
    { type: 'organization.directory.user_created', organizationId: ACME },
  ]);
  const synced = await events.listEventsPaginated(10, '', { source: Source.DIR_SYNC });
  expect(synced.events).toMatchObject([{ type: 'organization.directory.user_created' }]);
});

it('returns no events for an unknown organization, and throws for an invalid page token', async () => {
  expect(await events.listEventsPaginated(10, '', { organizationId: 'org_404' })).toMatchObject({
    events: [],
  });
  await expect(events.listEventsPaginated(10, 'not-a-page')).rejects.toThrow(ScalekitBadRequestException);
});

it('throws once when a scenario throttles the call', () =>
  expectThrottledOnce(env, 'EventsService_ListEventsPaginated', () => events.listEventsPaginated()));
