import { describe, expect, it } from 'vitest';
import { eventually, serve, type Service } from '../support/process.ts';
import {
  delivered,
  deliveriesOf,
  listen,
  receiverProcess,
  type Arrival,
  type Delivery,
} from '../support/webhook-receiver.ts';

const NOW = '2030-01-01T00:00:00.000Z';

/** Creates `count` organizations, one after the other. */
async function create(service: Service, count: number): Promise<void> {
  const api = await service.login();
  for (let number = 1; number <= count; number += 1)
    await api
      .post('/api/v1/organizations')
      .send({ display_name: `Organization ${number}` })
      .expect(201);
}

const freeze = ({ control }: Service) => control.put('/clock').send({ mode: 'frozen', at: NOW }).expect(200);

const advance = ({ control }: Service, by: string) => control.post('/clock/advance').send({ by }).expect(200);

const namesOf = (arrivals: readonly Arrival[]) => arrivals.map(({ event }) => event.data.display_name);

const timesOf = ({ attempts }: Delivery) =>
  attempts.map(({ time }) => (Date.parse(time) - Date.parse(NOW)) / 1000);

describe('200 events', () => {
  it('are sent to several endpoints in order, filtered by their event types', async () => {
    const { arrivals, url } = await receiverProcess();
    const service = await serve(['--fixture', 'empty']);
    const filters = {
      '/all': ['*'],
      '/made': ['organization.created'],
      '/changed': ['organization.updated'],
    };
    for (const [path, event_types] of Object.entries(filters))
      await listen(service, url + path, { event_types });
    const api = await service.login();

    const caller = async (name: string) => {
      for (let number = 0; number < 20; number += 1) {
        const { body } = await api.post('/api/v1/organizations').send({ display_name: name }).expect(201);
        const change = { display_name: `${name} ${number}` };
        await api.patch(`/api/v1/organizations/${body.organization.id}`).send(change).expect(200);
      }
    };
    await Promise.all(['One', 'Two', 'Three', 'Four', 'Five'].map(caller));
    await delivered(service, 400);

    const { body } = await service.control.get('/state/events').expect(200);
    const happened = body.rows as { id: string; type: string }[];
    const heard = (path: string) =>
      arrivals.filter((each) => each.path === path).map(({ event: { id, type } }) => ({ id, type }));
    const ofType = (wanted: string) =>
      happened.filter(({ type }) => type === wanted).map(({ id, type }) => ({ id, type }));
    expect(happened).toHaveLength(200);
    expect(heard('/all')).toEqual(happened.map(({ id, type }) => ({ id, type })));
    expect(heard('/made')).toEqual(ofType('organization.created'));
    expect(heard('/changed')).toEqual(ofType('organization.updated'));
    expect(arrivals.every(({ isSigned }) => isSigned)).toBe(true);
  });
});

describe('a webhook receiver that is killed', () => {
  it("gets every event after its restart, on the retry schedule of the environment's clock", async () => {
    const silent = await receiverProcess({ silent: true });
    const { port, url } = silent;
    const service = await serve(['--fixture', 'empty']);
    await freeze(service);
    await listen(service, url);
    await create(service, 3);
    await silent.came(1);

    await silent.kill();
    await delivered(service, 3, 'RETRYING');
    await advance(service, '5s');
    await eventually(
      () => deliveriesOf(service),
      (all) => all.every(({ attempts }) => attempts.length === 2),
    );
    const back = await receiverProcess({ port });
    await advance(service, '29s');
    expect(back.arrivals).toEqual([]);
    await advance(service, '1s');

    const all = await delivered(service, 3);
    expect(all.map(timesOf)).toEqual([
      [0, 5, 35],
      [0, 5, 35],
      [0, 5, 35],
    ]);
    expect(namesOf(back.arrivals)).toEqual(['Organization 1', 'Organization 2', 'Organization 3']);
    expect(back.arrivals[0]!.id).toBe(silent.arrivals[0]!.id);
    expect(back.arrivals.every(({ isSigned }) => isSigned)).toBe(true);
  });

  it('gets a failed delivery only by redelivery', async () => {
    const { kill, port, url } = await receiverProcess();
    await kill();
    const service = await serve(['--fixture', 'empty']);
    await freeze(service);
    await listen(service, url);
    await create(service, 1);
    await delivered(service, 1, 'RETRYING');

    await advance(service, '25m');
    const [given] = await delivered(service, 1, 'FAILED');
    const back = await receiverProcess({ port });
    await advance(service, '1d');
    await service.control.post(`/webhooks/deliveries/${given!.id}/redeliver`).expect(202);
    const [found] = await delivered(service, 1);

    const late = 25 * 60;
    expect(timesOf(given!)).toEqual([0, late, late, late, late, late]);
    expect(timesOf(found!).slice(6)).toEqual([late + 86_400]);
    expect(back.arrivals).toMatchObject([{ id: given!.id, event: { id: given!.event_id }, isSigned: true }]);
  });

  it('does not delay other endpoints', async () => {
    const silent = await receiverProcess({ silent: true });
    const { arrivals, url } = await receiverProcess();
    const service = await serve(['--fixture', 'empty']);
    await listen(service, silent.url);
    await listen(service, url);

    await create(service, 10);
    await delivered(service, 10);

    expect(namesOf(arrivals)).toEqual(Array.from({ length: 10 }, (_, index) => `Organization ${index + 1}`));
    expect(namesOf(silent.arrivals)).toEqual(['Organization 1']);
  });
});

describe('a webhook retry', () => {
  it('is sent on time without any call or clock change', async () => {
    const { kill, port, url } = await receiverProcess();
    await kill();
    const service = await serve(['--fixture', 'empty']);
    await listen(service, url);
    await create(service, 1);
    const [waiting] = await delivered(service, 1, 'RETRYING');
    const back = await receiverProcess({ port });

    const due = Date.parse(waiting!.next_attempt_at!);
    const at = new Date(due - 50).toISOString();
    await service.control.put('/clock').send({ mode: 'offset', at }).expect(200);
    await back.came(1);

    const [found] = await delivered(service, 1);
    expect(found!.attempts.map(({ status }) => status)).toEqual([undefined, 200]);
    expect(Date.parse(found!.attempts[1]!.time)).toBeGreaterThanOrEqual(due);
  });
});
