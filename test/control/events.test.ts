import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { ActivityFeed } from '../../src/environment/activity-feed.ts';
import { Activity } from '../../src/journal/activity.ts';
import { boot, type Booted } from '../support/boot.ts';
import { follow } from '../support/event-stream.ts';

const ORGANIZATION = '/api/v1/organizations/org_10000000000000001';

async function listen({ understudy }: Booted): Promise<string> {
  const server = createServer(understudy.app).listen(0, '127.0.0.1');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await new Promise((resolve) => server.once('listening', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe('Control_FollowEvents', () => {
  it('streams each change of a delivery', async () => {
    const booted = await boot();
    await booted.control.post('/webhooks/endpoints').send({ kind: 'inbox' }).expect(201);
    const stream = await follow(`${await listen(booted)}/_control/v1/events?kinds=webhook`);

    await booted.api.post('/api/v1/organizations').send({ display_name: 'Hooli' }).expect(201);

    const told = await stream.until(({ data }) => data['status'] === 'SUCCESS');
    expect(told.map(({ event }) => event)).toEqual(told.map(() => 'webhook'));
    expect(told[0]!.data).toMatchObject({ status: 'QUEUED', event_type: 'organization.created' });
    expect(told.at(-1)!.data['id']).toBe(told[0]!.data['id']);
  });

  it('streams events in order, without secrets', async () => {
    const booted = await boot();
    const { api, control, environment } = booted;
    const stream = await follow(`${await listen(booted)}/_control/v1/events`);

    await api.get(ORGANIZATION).expect(200);
    await control
      .patch('/state/organizations/org_10000000000000001')
      .send({ display_name: 'New' })
      .expect(200);
    await control.post('/clock/advance').send({ by: '1ms' }).expect(200);
    await control.post('/scenarios').send({ name: 'internal-error' }).expect(201);
    await control.delete('/scenarios/internal-error').expect(204);
    await control.post('/snapshots').send({ name: 'one' }).expect(201);
    await control
      .put('/state')
      .send({ include: ['empty'] })
      .expect(204);
    await environment('blue');
    await control.delete('/environments/blue').expect(204);
    await control.post('/reset').expect(204);
    const events = await stream.until(({ event }) => event === 'reset');

    expect(stream.response.headers.get('content-type')).toMatch('text/event-stream');
    expect(events.map(({ id }) => id)).toEqual(events.map((_, index) => index + 1));
    expect(events.map(({ event, data }) => ({ event, ...data }))).toMatchObject([
      { event: 'request', id: 'req_2', operation: 'OrganizationService_GetOrganization', status: 200 },
      { event: 'state', changes: [{ op: 'replace', value: 'New' }] },
      { event: 'clock', mode: 'offset', offset_ms: 1 },
      { event: 'scenario', change: 'loaded', name: 'internal-error' },
      { event: 'scenario', change: 'unloaded', name: 'internal-error' },
      { event: 'snapshot', change: 'taken', name: 'one' },
      { event: 'state', changes: [] },
      { event: 'environment', change: 'created', name: 'blue' },
      { event: 'environment', change: 'dropped', name: 'blue' },
      { event: 'reset', parts: expect.arrayContaining(['state']) },
    ]);
  });

  it('tells what happens in all environments, in those that come later too', async () => {
    const booted = await boot();
    const { api, control, environment } = booted;
    const early = await environment('early');
    const stream = await follow(`${await listen(booted)}/_control/v1/events?environments=all&kinds=request`);

    await early.api.get(ORGANIZATION).expect(200);
    await api.get(ORGANIZATION).expect(200);
    await control.delete('/environments/early').expect(204);
    const late = await environment('late');
    await control.post('/environments/late/fork').send({ name: 'forked' }).expect(201);
    await late.api.get(ORGANIZATION).expect(200);
    const { credentials } = booted.understudy.controls.simulator.environments.get('forked');
    const { client_id, client_secret } = credentials;
    const form = { grant_type: 'client_credentials', client_id, client_secret };
    await booted.anonymous.post('/oauth/token').type('form').send(form).expect(200);

    const told = await stream.until(({ data }) => data['environment'] === 'forked');
    const asked = told.map(({ data }) => `${String(data['environment'])} ${String(data['operation'])}`);
    expect(asked.filter((line) => !line.includes('Token'))).toEqual([
      'early OrganizationService_GetOrganization',
      'default OrganizationService_GetOrganization',
      'late OrganizationService_GetOrganization',
    ]);
    expect(told.every(({ id }) => Number.isNaN(id))).toBe(true);
  });

  it('lets an idle environment go that only a reader of all environments follows', () => {
    const activity = new Activity();
    const stop = activity.observe(() => {});

    expect(activity.subscribers).toBe(0);
    stop();
  });

  it('names the rule that was applied to a call and leaves out the code of a mail', async () => {
    const booted = await boot();
    const stream = await follow(`${await listen(booted)}/_control/v1/events?kinds=request,scenario,mail`);
    const email = { email: 'ada@acme.example', template: 'SIGNIN' };
    await booted.api.post('/api/v1/passwordless/email/send').send(email).expect(200);
    const [mail] = (await booted.control.get('/mail').expect(200)).body.mails;
    await booted.control.post('/scenarios').send({ name: 'rate-limit-once' }).expect(201);
    await booted.api.get(ORGANIZATION).expect(429);

    const events = await stream.until(({ data }) => data['change'] === 'applied');

    expect(events.map(({ event }) => event)).toEqual(['mail', 'request', 'scenario', 'request', 'scenario']);
    expect(events[0]!.data).toMatchObject({ id: mail.id, to: 'ada@acme.example' });
    expect(events.at(-1)!.data).toEqual({
      change: 'applied',
      name: 'rate-limit-once',
      rule: 0,
      request: events[3]!.data['id'],
    });
    expect(JSON.stringify(events)).not.toContain(mail.code);
  });

  it('resumes after Last-Event-ID', async () => {
    const booted = await boot();
    const url = `${await listen(booted)}/_control/v1/events`;
    const first = await follow(url);
    await booted.api.get(ORGANIZATION).expect(200);
    const [known] = await first.until(({ event }) => event === 'request');
    first.leave();
    await booted.api.get(ORGANIZATION).expect(200);

    const second = await follow(url, { 'last-event-id': String(known!.id) });
    const [next] = await second.until(({ event }) => event === 'request');

    expect(next).toMatchObject({ id: known!.id + 1, data: { id: 'req_3' } });
  });

  it.each([
    ['?kinds=requests', {}],
    ['', { 'last-event-id': 'yesterday' }],
  ])('refuses %o %o', async (query, headers) => {
    const { control } = await boot();

    const { body } = await control.get(`/events${query}`).set(headers).expect(400);

    expect(body.message).toBe('Validation error');
  });

  it('ends when its environment is dropped', async () => {
    const booted = await boot();
    await booted.environment('blue');
    const stream = await follow(`${await listen(booted)}/_control/v1/environments/blue/events?kinds=mail`);

    await booted.control.delete('/environments/blue').expect(204);

    expect(await stream.toEnd()).toMatchObject([{ event: 'end', data: { reason: 'dropped' } }]);
  });
});

describe('the activity feed', () => {
  const tell = (activity: Activity, name: string) =>
    activity.publish({ kind: 'scenario', change: 'loaded', name });

  it('is bounded: a slow reader gets the number of missed events', () => {
    const activity = new Activity();
    const feed = new ActivityFeed(activity, true);
    for (let count = 0; count < 5000; count += 1) tell(activity, String(count));

    const { events, missed } = feed.after(10);

    expect({ count: events.length, missed, last: events.at(-1) }).toEqual({
      count: 1000,
      missed: 3990,
      last: { number: 5000, kind: 'scenario', data: '{"change":"loaded","name":"4999"}' },
    });
    expect(feed.after(4998).events).toHaveLength(2);
    expect(feed.after(5000)).toEqual({ events: [], missed: 0 });
  });

  it('truncates the data of a large event', () => {
    const activity = new Activity();
    const feed = new ActivityFeed(activity, true);
    tell(activity, 'x'.repeat(100_000));

    expect(feed.after(0).events[0]!.data).toBe('{"truncated":100029}');
  });

  it('waits for the next event, and returns false after the timeout', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const activity = new Activity();
    const feed = new ActivityFeed(activity, true);
    const { signal } = new AbortController();

    const silence = feed.more(0, 15_000, signal);
    await vi.advanceTimersByTimeAsync(15_000);
    const sound = feed.more(0, 15_000, signal);
    tell(activity, 'x');

    expect([await silence, await sound, vi.getTimerCount()]).toEqual([false, true, 0]);
  });
});
