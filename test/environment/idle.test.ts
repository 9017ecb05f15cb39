import { afterEach, describe, expect, it, vi } from 'vitest';
import { boot, type Agent } from '../support/boot.ts';
import { eventuallyHolds, makeFolder } from '../support/process.ts';

const MINUTE = 60_000;

/** Fakes only the timers that measure how long an environment is idle; the network uses real time. */
const fakeTime = () => vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'hrtime'] });

const names = async (control: Agent) =>
  (await control.get('/environments').expect(200)).body.environments.map((e: { name: string }) => e.name);

afterEach(() => void vi.useRealTimers());

describe('an idle environment', () => {
  it('is deleted after an hour, and later calls get the reason', async () => {
    fakeTime();
    const { control, environment, anonymous } = await boot({ fixture: 'empty' });
    const red = await environment('red', { fixture: 'empty' });
    await vi.advanceTimersByTimeAsync(59 * MINUTE);
    const before = await names(control);

    await vi.advanceTimersByTimeAsync(2 * MINUTE);

    expect([before, await names(control)]).toEqual([['default', 'red'], ['default']]);
    const message = 'environment red was dropped, because it was not used for the time of --environment-ttl';
    expect(await red.control.get('/clock')).toMatchObject({ status: 404, body: { code: 5, message } });
    const call = await anonymous.get('/keys').set({ 'understudy-environment': 'red' });
    expect(call).toMatchObject({ status: 404, body: { message } });
  });

  it('can be created again with the same name', async () => {
    fakeTime();
    const { environment } = await boot({ fixture: 'empty', environmentTtl: MINUTE });
    await environment('red', { fixture: 'empty' });
    await vi.advanceTimersByTimeAsync(3 * MINUTE);

    const red = await environment('red', { fixture: 'empty' });

    await red.control.get('/clock').expect(200);
  });

  it.each([
    ['the API', (red: Made) => red.api.get('/api/v1/organizations')],
    ['the control API', (red: Made) => red.control.get('/clock')],
    [
      'the control API, with its name in the path',
      (red: Made) => red.root.get('/environments/red/state/hash'),
    ],
    ['GET /environments/{name}', (red: Made) => red.root.get('/environments/red')],
  ])('is kept when calls use %s', async (_, call) => {
    fakeTime();
    const { control, environment } = await boot({ fixture: 'empty' });
    const red = { ...(await environment('red', { fixture: 'empty' })), root: control };

    for (let i = 0; i < 4; i += 1) {
      await vi.advanceTimersByTimeAsync(50 * MINUTE);
      await call(red).expect(200);
    }

    expect(await names(control)).toEqual(['default', 'red']);
  });

  it('is deleted although other environments are called and all are listed', async () => {
    fakeTime();
    const { control, environment } = await boot({ fixture: 'empty' });
    await environment('red', { fixture: 'empty' });

    for (let i = 0; i < 4; i += 1) {
      await vi.advanceTimersByTimeAsync(20 * MINUTE);
      await names(control);
    }

    expect(await names(control)).toEqual(['default']);
  });

  it('is kept when it is stored in the data folder', async () => {
    fakeTime();
    const { control, environment } = await boot({ fixture: 'empty', data: makeFolder() });
    await environment('kept', { fixture: 'empty', persist: true });
    await environment('red', { fixture: 'empty' });

    await vi.advanceTimersByTimeAsync(300 * MINUTE);

    expect(await names(control)).toEqual(['default', 'kept']);
  });

  it('is kept while a call waits in it', async () => {
    fakeTime();
    const { control, environment, understudy } = await boot({ fixture: 'empty' });
    const red = await environment('red', { fixture: 'empty' });
    const { activity } = understudy.controls.simulator.environments.get('red');
    const waiting = red.control.get('/mail/wait?to=ada@acme.example&timeout=4m').then((answer) => answer);
    await eventuallyHolds(() => expect(activity.subscribers).toBeGreaterThan(0));

    await vi.advanceTimersByTimeAsync(300 * MINUTE);

    expect(await names(control)).toEqual(['default', 'red']);
    await control.delete('/environments/red').expect(204);
    expect((await waiting).status).toBe(410);
  });

  it('is never deleted without a time limit', async () => {
    fakeTime();
    const { control, environment } = await boot({ fixture: 'empty', environmentTtl: Infinity });
    await environment('red', { fixture: 'empty' });

    await vi.advanceTimersByTimeAsync(100_000 * MINUTE);

    expect(await names(control)).toEqual(['default', 'red']);
  });
});

type Made = { api: Agent; control: Agent; root: Agent };

describe('--max-environments', () => {
  it('counts the environments besides default, and its error explains what to do', async () => {
    const { control } = await boot({ fixture: 'empty', maxEnvironments: 2 });
    const make = (path: string) => control.post(path).send({});
    await make('/environments').expect(201);
    await make('/environments/default/fork').expect(201);

    const refused = [await make('/environments'), await make('/environments/env-1/fork')];

    const message =
      'there are 2 environments besides default, as many as --max-environments allows: drop some ' +
      '(DELETE /_control/v1/environments/{name}), or set a shorter time after which unused ones are dropped (--environment-ttl)';
    for (const { status, body } of refused) expect([status, body.message]).toEqual([400, message]);
    await control.delete('/environments/env-1').expect(204);
    await make('/environments').expect(201);
  });
});
