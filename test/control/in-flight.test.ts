import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { boot, type Agent } from '../support/boot.ts';
import { eventuallyHolds } from '../support/process.ts';

const NOW = '2030-01-01T00:00:00Z';
const MINUTE = 60_000;
const LIST = '/api/v1/organizations';
const CREATE = 'OrganizationService_CreateOrganization';
const SLOW = { name: 'slow', rules: [{ on: CREATE, fault: { delay: '1m' } }] };

const hashOf = async (control: Agent) => (await control.get('/state/hash').expect(200)).body.hash as string;

/** A call that a scenario delays, and a function that ends the delay. */
async function waiting() {
  const { environment } = await boot();
  const { api, control } = await environment('worker-1', { clock: { mode: 'frozen', at: NOW } });
  await control.post('/reset').expect(204); // a token was issued
  const start = await hashOf(control);
  await control.post('/snapshots').send({ name: 'start' }).expect(201);
  await control.post('/scenarios').send(SLOW).expect(201);
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const call = api.post(LIST).send({ display_name: 'Late' }).then();
  await eventuallyHolds(() => expect(vi.getTimerCount()).toBe(1));
  const answer = async () => {
    await vi.advanceTimersByTimeAsync(MINUTE);
    return call;
  };
  return { control, start, answer };
}

const did = (ending: string) => `environment worker-1 was ${ending} while this call waited: it did nothing`;

describe('a delayed call', () => {
  it.each([
    ['reset', '/reset'],
    ['reset', '/reset?only=state,scenarios'],
    ['reset', '/snapshots/start/restore'],
  ])('writes nothing when its environment was %s: %s', async (ending, path) => {
    const { control, start, answer } = await waiting();
    await control.post(path).expect(204);

    const { status, body } = await answer();

    expect([status, body.code, body.message]).toEqual([400, 9, did(ending)]);
    expect(await hashOf(control)).toBe(start);
  });

  it('gets an error when its environment is deleted', async () => {
    const { control, answer } = await waiting();
    await control.delete('/environments/worker-1').expect(204);

    const { status, body } = await answer();

    expect([status, body.message]).toEqual([400, did('dropped')]);
  });

  it.each(['requests', 'clock', 'mail', 'scenarios'])('continues when only %s is reset', async (part) => {
    const { control, answer } = await waiting();
    await control.post(`/reset?only=${part}`).expect(204);

    expect((await answer()).status).toBe(201);
  });

  it('does not appear in a request wait that starts after a reset', async () => {
    const { control, answer } = await waiting();
    await control.post('/reset').expect(204);
    const wait = control.get(`/requests/wait?operation=${CREATE}&timeout=5m`).then();
    await eventuallyHolds(() => expect(vi.getTimerCount()).toBe(2));

    await answer();
    await vi.advanceTimersByTimeAsync(4 * MINUTE);

    expect((await wait).body).toMatchObject({ count: 0, requests: [] });
  });
});
