import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { boot } from '../support/boot.ts';
import {
  all,
  deliveries,
  eventually,
  listen,
  NOW,
  organization,
  receiver,
  SECRET,
  type Delivery,
  type Received,
} from './support.ts';

const webhook = new Webhook(SECRET);
/** The reason why a receiver rejects the signature, or nothing. */
const refusal = ({ headers, text }: Received) => {
  try {
    webhook.verify(text, headers as Record<string, string>);
    return undefined;
  } catch (thrown) {
    return (thrown as Error).message;
  }
};

/** An environment with a receiver and the named scenario. */
async function scene(name: string, params: object = {}, options: Parameters<typeof boot>[0] = { now: NOW }) {
  const booted = await boot(options);
  const { came, received, url } = await receiver();
  await listen(booted.control, url);
  await booted.control.post('/scenarios').send({ name, params }).expect(201);
  const create = (display_name: string) => organization(booted.api, display_name);
  const advance = (by: string) => booted.control.post('/clock/advance').send({ by }).expect(200);
  return { ...booted, came, received, url, create, advance };
}

const nameOf = ({ body }: Received) => (body['data'] as { display_name: string }).display_name;
const statuses = (found: readonly Delivery[]) => found.map(({ status }) => status).join();

describe('webhook-endpoint-down', () => {
  it('responds instead of the endpoint, and retries follow the schedule', async () => {
    const { control, create, received, advance, came } = await scene('webhook-endpoint-down', { times: 2 });

    await create('Acme');
    const [down] = await eventually(control, all('RETRYING'));
    expect(received).toEqual([]);
    expect(down!.attempts).toMatchObject([
      { time: NOW, status: 503, scenario: { name: 'webhook-endpoint-down', rule: 0 } },
    ]);
    await advance('5s');
    await eventually(control, ([each]) => each!.attempts.length === 2);
    await advance('30s');
    await came(1);
    const [up] = await eventually(control, all('SUCCESS'));

    expect(up!.attempts.map(({ status }) => status)).toEqual([503, 503, 200]);
  });

  it.each(['https://down.example/', 'https://down.*'])('can apply to one endpoint: %s', async (to) => {
    const { control, create, came, url } = await scene('webhook-endpoint-down', { to });
    await listen(control, 'https://down.example/', {}, 'ep_2');

    await create('Acme');
    await came(1);
    const found = await eventually(control, (each) => statuses(each) === 'SUCCESS,RETRYING');

    expect(url).not.toContain('down.example');
    expect(found[1]!.attempts).toMatchObject([{ status: 503 }]);
  });
});

describe('webhook-unreachable', () => {
  it('ends each attempt without a response until all attempts were made', async () => {
    const { control, create, received, advance } = await scene('webhook-unreachable');

    await create('Acme');
    await eventually(control, all('RETRYING'));
    await advance('25m');
    const [delivery] = await eventually(control, all('FAILED'));

    expect(received).toEqual([]);
    expect(delivery!.attempts).toHaveLength(6);
    expect(delivery!.attempts[0]!.error).toBe('the connection ended without an answer');
  });
});

describe('webhook-duplicate', () => {
  it('sends the next delivery twice with one id', async () => {
    const { control, create, came } = await scene('webhook-duplicate');

    await create('Acme');
    await create('Globex');
    const received = await came(3);
    const found = await eventually(control, all('SUCCESS', 2));

    expect(received.map(nameOf)).toEqual(['Acme', 'Acme', 'Globex']);
    expect(new Set(received.map(({ headers }) => headers['webhook-id'])).size).toBe(2);
    expect(found[0]!.attempts).toMatchObject([{ status: 200 }, { status: 200, is_duplicate: true }]);
  });
});

describe('webhook-out-of-order', () => {
  it('holds the next delivery until another was sent', async () => {
    const { control, create, came } = await scene('webhook-out-of-order');

    await create('Acme');
    await eventually(control, all('HELD'));
    await create('Globex');
    const received = await came(2);
    await eventually(control, all('SUCCESS', 2));

    expect(received.map(nameOf)).toEqual(['Globex', 'Acme']);
  });
});

describe('webhook-delayed', () => {
  it("delays the next delivery on the environment's clock", async () => {
    const { control, create, came, received, advance } = await scene('webhook-delayed');

    await create('Acme');
    const [waiting] = await eventually(control, ([each]) => each?.next_attempt_at !== undefined);
    expect(waiting).toMatchObject({ attempts: [], next_attempt_at: '2030-01-01T00:05:00.000Z' });
    await advance('4m');
    expect((await deliveries(control))[0]!.attempts).toEqual([]);
    await advance('1m');
    await came(1);

    expect(received).toHaveLength(1);
  });
});

describe('webhook-dropped', () => {
  it('never sends the next delivery', async () => {
    const { control, create, came, advance } = await scene('webhook-dropped');

    await create('Acme');
    await create('Globex');
    const received = await came(1);
    await advance('25m');
    const found = await eventually(control, (each) => statuses(each) === 'DROPPED,SUCCESS');

    expect(received.map(nameOf)).toEqual(['Globex']);
    expect(found[0]!.attempts).toEqual([]);
  });
});

describe('a receiver that verifies signatures', () => {
  it.each([
    ['webhook-wrong-signature', {}, 'No matching signature found'],
    ['webhook-wrong-signature', { signature: 'missing' }, 'Missing required headers'],
    ['webhook-old-timestamp', {}, 'Message timestamp too old'],
    ['webhook-old-timestamp', { off: '+10m' }, 'Message timestamp too new'],
    ['webhook-rotated-secret', {}, 'No matching signature found'],
  ])('rejects the next delivery of %s %o and accepts the following ones', async (name, params, expected) => {
    const { create, came } = await scene(name, params, {});

    await create('Acme');
    await create('Globex');
    const received = await came(2);

    expect(received.map(refusal)).toEqual([expected, undefined]);
  });
});

describe('webhook-outside-contract', () => {
  it('sends a payload outside the contract, and the attempt shows it', async () => {
    const { control, create, came } = await scene('webhook-outside-contract');

    await create('Acme');
    const [broken] = await came(1);
    const [delivery] = await eventually(control, all('SUCCESS'));
    const { body: shown } = await control.get(`/webhooks/deliveries/${delivery!.id}`).expect(200);

    expect(broken!.body).not.toHaveProperty('data');
    expect(shown.body).toBe(broken!.text);
    expect(delivery!.attempts).toMatchObject([{ payload: { type: 'organization.created' } }]);
  });
});

describe('a rule on webhooks', () => {
  it('draws the same random numbers in every run, in whatever order attempts end', async () => {
    const scenario = {
      name: 'flaky',
      rules: [{ on: 'webhook.*', probability: 0.5, reply: { status: 500 } }],
    };
    const run = async () => {
      const { api, control } = await boot({ now: NOW });
      await control.post('/scenarios').send(scenario).expect(201);
      await listen(control, undefined, { max_in_flight: 10 });
      for (let made = 0; made < 20; made += 1) await organization(api, `Acme ${made}`);
      const found = await eventually(control, (each) => each.every(({ attempts }) => attempts.length === 1));
      const invited = { membership: {}, user_profile: {}, email: 'new@acme.example' };
      const drawn = await api
        .post('/api/v1/organizations/org_10000000000000001/users')
        .send(invited)
        .expect(201);
      return { statuses: statuses(found), drawn: drawn.body };
    };

    const [first, second] = [await run(), await run()];

    expect(first).toEqual(second);
    expect(first.statuses).toContain('SUCCESS');
    expect(first.statuses).toContain('RETRYING');
  });

  it('counts its matches and hits in the list of scenarios', async () => {
    const { control, create } = await scene('webhook-dropped');

    await create('Acme');
    await eventually(control, all('DROPPED'));

    const { loaded } = (await control.get('/scenarios').expect(200)).body;
    expect(loaded[0].rules).toMatchObject([{ on: 'webhook.*', seen: 1, hits: 1, remaining: 0 }]);
  });
});
