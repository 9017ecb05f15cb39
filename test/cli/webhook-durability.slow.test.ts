import { describe, expect, it } from 'vitest';
import { makeFolder, serve, type Service } from '../support/process.ts';
import {
  delivered,
  deliveriesOf,
  listen,
  receiverProcess,
  type Arrival,
} from '../support/webhook-receiver.ts';

const begin = (data: string) => serve(['--data', data, '--fixture', 'empty']);

/**
 * Creates organizations with four parallel callers until the service is gone; returns the ids that were
 * answered with 201.
 */
async function create(service: Service, count: number, onAnswer = (_: string[]) => {}): Promise<string[]> {
  const api = await service.login();
  const numbers = Array.from({ length: count }, (_, index) => index + 1);
  const answered: string[] = [];
  const caller = async () => {
    for (let number = numbers.shift(); number !== undefined; number = numbers.shift()) {
      const wanted = { display_name: `Organization ${number}` };
      const { body } = await api.post('/api/v1/organizations').send(wanted).expect(201);
      answered.push(body.organization.id);
      onAnswer(answered);
    }
  };
  await Promise.allSettled(Array.from({ length: 4 }, caller));
  return answered;
}

async function killed(service: Service): Promise<void> {
  service.kill('SIGKILL');
  await service.exited;
}

const idsOf = (arrivals: readonly Arrival[]) => new Set(arrivals.map(({ id }) => id));
const subjectsOf = (arrivals: readonly Arrival[]) => new Set(arrivals.map(({ event }) => event.data.id));

/** Expects that each pair of `webhook-id` and endpoint belongs to one event. */
function expectOneEventEach(arrivals: readonly Arrival[]): void {
  const events = new Map(arrivals.map(({ id, path, event }) => [id, `${path} ${event.id}`]));
  for (const { id, path, event } of arrivals) expect(events.get(id)).toBe(`${path} ${event.id}`);
  expect(new Set(events.values()).size).toBe(events.size);
}

describe('kill -9 between the commit and the delivery', () => {
  it('loses nothing: the interrupted delivery is sent again with the same id and a new signature', async () => {
    const data = makeFolder();
    const silent = await receiverProcess({ silent: true });
    const first = await begin(data);
    await listen(first, silent.url);
    const answered = await create(first, 10);
    await silent.came(1);

    await killed(first);
    await silent.kill();
    const back = await receiverProcess({ port: silent.port });
    const second = await begin(data);
    await delivered(second, 10);

    const [cutOff] = silent.arrivals as [Arrival];
    const again = back.arrivals.find(({ id }) => id === cutOff.id);
    expect(silent.arrivals).toHaveLength(1);
    expect(back.arrivals).toHaveLength(10);
    expect(subjectsOf(back.arrivals)).toEqual(new Set(answered));
    expect(back.arrivals.every(({ isSigned }) => isSigned)).toBe(true);
    expect(again).toMatchObject({ event: cutOff.event });
    expect(again!.timestamp).toBeGreaterThanOrEqual(cutOff.timestamp);
    expectOneEventEach([...silent.arrivals, ...back.arrivals]);
  });

  it('during 300 calls delivers every event of an answered call at least once', async () => {
    const data = makeFolder();
    const { arrivals, url } = await receiverProcess({ delay: 5 });
    const first = await begin(data);
    await listen(first, `${url}/one`);
    await listen(first, `${url}/other`, { max_in_flight: 5 });
    const answered = await create(first, 300, ({ length }) => {
      if (length === 150) first.kill('SIGKILL');
    });
    await first.exited;
    const heardBefore = idsOf(arrivals);

    const second = await begin(data);
    const all = await deliveriesOf(second);
    await delivered(second, all.length);

    const [one, other] = ['/one', '/other'].map((path) => arrivals.filter((each) => each.path === path));
    expect(answered.length).toBeLessThan(300);
    for (const heard of [one!, other!]) {
      expect([...subjectsOf(heard)]).toEqual(expect.arrayContaining(answered));
      // Up to four calls may have been committed without a response.
      expect(subjectsOf(heard).size - answered.length).toBeLessThanOrEqual(4);
    }
    expect(idsOf(arrivals)).toEqual(new Set(all.map(({ id }) => id)));
    expect(idsOf(arrivals).size).toBeGreaterThan(heardBefore.size);
    expect(arrivals.every(({ isSigned }) => isSigned)).toBe(true);
    expectOneEventEach(arrivals);
  });
});

describe('SIGTERM while deliveries are open', () => {
  it('ends in time, and the next process sends the waiting deliveries', async () => {
    const data = makeFolder();
    const silent = await receiverProcess({ silent: true });
    const first = await begin(data);
    await listen(first, silent.url, { max_in_flight: 3 });
    const answered = await create(first, 30);
    await silent.came(3);

    const { code, stderr } = await first.stop();
    await silent.kill();
    const back = await receiverProcess({ port: silent.port });
    const second = await begin(data);
    const all = await delivered(second, 30);

    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(subjectsOf(back.arrivals)).toEqual(new Set(answered));
    expect(idsOf(back.arrivals)).toEqual(new Set(all.map(({ id }) => id)));
    // An attempt that the stop aborted does not count as a failure of the receiver.
    expect(all.every(({ attempts }) => attempts.length === 1)).toBe(true);
    expectOneEventEach([...silent.arrivals, ...back.arrivals]);
  });
});
