import { afterEach, describe, expect, it, vi } from 'vitest';
import { boot, type Agent, type Booted } from '../support/boot.ts';
import { SESSION_OF_ADA } from '../support/fixture-ids.ts';

const SECOND = 1000;
const HOUR = 3600 * SECOND;
const DAY = 24 * HOUR;

/** Fakes the timers and the time; the network uses real time. */
const fakeTime = () => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date', 'hrtime'] });

afterEach(() => void vi.useRealTimers());

/** Collects the statuses of Ada's session from the activity feed, without any call. */
function watch({ understudy }: Booted): string[] {
  const told: string[] = [];
  const { environments } = understudy.controls.simulator;
  environments.get('default').activity.subscribe((item) => {
    if (item.kind !== 'state') return;
    for (const { id, after } of item.changes)
      if (id === SESSION_OF_ADA) told.push((after as unknown as Session).status);
  });
  return told;
}

interface Session {
  status: string;
}

const endIn = (control: Agent, distance: number) =>
  control
    .patch(`/state/sessions/${SESSION_OF_ADA}`)
    .send({
      absolute_expires_at: new Date(Date.now() + distance).toISOString(),
      idle_expires_at: new Date(Date.now() + distance).toISOString(),
    })
    .expect(200);

describe('a real clock', () => {
  it('processes deadlines without any call', async () => {
    fakeTime();
    const booted = await boot();
    await endIn(booted.control, HOUR);
    const told = watch(booted);

    await vi.advanceTimersByTimeAsync(HOUR - SECOND);
    const before = [...told];
    await vi.advanceTimersByTimeAsync(2 * SECOND);

    expect([before, told]).toEqual([[], ['expired']]);
  });

  it('processes deadlines that are further away than the longest timer', async () => {
    fakeTime();
    const booted = await boot();
    await endIn(booted.control, 60 * DAY);
    const told = watch(booted);

    await vi.advanceTimersByTimeAsync(59 * DAY);
    const before = [...told];
    await vi.advanceTimersByTimeAsync(DAY + SECOND);

    expect([before, told]).toEqual([[], ['expired']]);
  });

  it('processes deadlines after the clock was set, a snapshot was restored and the environment was reset', async () => {
    fakeTime();
    const booted = await boot();
    const { control } = booted;
    await endIn(control, 167 * HOUR);
    await control.post('/clock/advance').send({ by: '10h' }).expect(200);
    const told = watch(booted);
    await control.post('/snapshots').send({ name: 'start' }).expect(201);
    await control
      .put('/clock')
      .send({ mode: 'offset', at: new Date(Date.now() + 167 * HOUR - SECOND).toISOString() })
      .expect(200);
    await vi.advanceTimersByTimeAsync(5 * SECOND);
    const first = told.splice(0);

    await control.post('/snapshots/start/restore').expect(204);
    await vi.advanceTimersByTimeAsync(157 * HOUR + SECOND);
    const second = told.splice(0);
    await control.post('/reset').expect(204);
    await vi.advanceTimersByTimeAsync(10 * HOUR);

    expect([first, second, told]).toEqual([['expired'], ['expired'], ['expired']]);
  });

  it('uses one timer for each environment, and none for a frozen, deleted or closed one', async () => {
    fakeTime();
    const { control, environment, understudy } = await boot({ environmentTtl: Infinity });
    const counts = [vi.getTimerCount()];
    const count = () => counts.push(vi.getTimerCount());
    await environment('red');
    count();
    await control.put('/clock').send({ mode: 'frozen' }).expect(200);
    count();
    await endIn(control, HOUR);
    count();
    await control.put('/clock').send({ mode: 'real' }).expect(200);
    count();
    await control.post('/environments/red/fork').send({ name: 'blue' }).expect(201);
    count();
    await control.delete('/environments/red').expect(204);
    count();
    await understudy.close();
    count();

    expect(counts).toEqual([1, 2, 1, 1, 2, 3, 2, 0]);
  });

  it('does not keep an idle environment alive', async () => {
    vi.useFakeTimers({
      toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date', 'hrtime'],
    });
    const { control, environment } = await boot();
    const red = await environment('red');
    await endIn(red.control, HOUR / 2);

    await vi.advanceTimersByTimeAsync(HOUR + 60 * SECOND);

    const { environments } = (await control.get('/environments').expect(200)).body;
    expect(environments.map(({ name }: { name: string }) => name)).toEqual(['default']);
  });
});
