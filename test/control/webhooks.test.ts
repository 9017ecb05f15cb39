import { afterEach, describe, expect, it, vi } from 'vitest';
import { boot, type Agent } from '../support/boot.ts';

const NOW = '2030-01-01T00:00:00.000Z';
const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const URL = 'http://localhost:3000/webhooks';

afterEach(() => void vi.useRealTimers());

const addEndpoint = async (control: Agent, wanted: object = { kind: 'inbox' }) =>
  (await control.post('/webhooks/endpoints').send(wanted).expect(201)).body;

const happen = async (api: Agent, type = 'user.login') =>
  (await api.post(`/api/v1/webhooks/test-event/${type}`).expect(200)).body.event_payload;

const deliveriesOf = async (control: Agent, query = '') =>
  (await control.get(`/webhooks/deliveries${query}`).expect(200)).body.deliveries;

describe('Control_TriggerEvent', () => {
  it('records the event with the merged sample data and sends it to the endpoints that listen to it', async () => {
    const { api, control } = await boot({ now: NOW });
    await addEndpoint(control, { kind: 'inbox', event_types: ['organization.*'] });
    const organizations = (await control.get('/state/organizations').expect(200)).body;

    const { body } = await control
      .post('/webhooks/events')
      .send({ type: 'organization.created', data: { display_name: 'Acme' } })
      .expect(201);

    expect(body).toMatchObject({ type: 'organization.created', occurred_at: NOW });
    expect(body.data).toMatchObject({ display_name: 'Acme', id: expect.stringMatching(/^org_/) });
    const [delivery] = await deliveriesOf(control);
    expect(delivery.payload).toEqual(body);
    const { events } = (await api.post('/api/v1/events/paginated').send({}).expect(200)).body;
    expect(events[0]).toMatchObject({ id: body.id });
    expect((await control.get('/state/organizations').expect(200)).body).toEqual(organizations);
  });

  it('refuses an unknown type with the nearest one, and data that breaks the contract, and records nothing', async () => {
    const { control } = await boot();
    const hash = (await control.get('/state/hash').expect(200)).body;

    const unknown = await control.post('/webhooks/events').send({ type: 'organization.create' }).expect(400);
    const broken = await control
      .post('/webhooks/events')
      .send({ type: 'organization.created', data: { display_name: 5 } })
      .expect(400);

    const misspelt = await control
      .post('/webhooks/events')
      .send({ type: 'organization.created', data: { displayname: 'Acme' } })
      .expect(400);

    expect(unknown.body.message).toContain('did you mean organization.created?');
    expect(misspelt.body.message).toBe(
      'data.displayname: organization.created has no such member; did you mean display_name?',
    );
    expect(broken.body.message).toMatch(/^data\.display_name: /);
    expect((await control.get('/state/hash').expect(200)).body).toEqual(hash);
  });

  it('emits a type that the contract lacks with the sample data of a known one', async () => {
    const { api, control } = await boot({ now: NOW });
    await addEndpoint(control, { kind: 'inbox' });
    const type = 'scalekit.dir.user.create';
    const trigger = {
      type,
      like: 'organization.directory.user_created',
      data: { email: 'a@b.example', level: 7 },
    };

    const { body } = await control.post('/webhooks/events').send(trigger).expect(201);

    expect(body).toMatchObject({ type, event: type, object: 'DirectoryUser', occurred_at: NOW });
    expect(body.display_name).toBe('Scalekit Dir User Create');
    expect(body.data).toMatchObject({ email: 'a@b.example', level: 7, name: 'Ada Byrne' });
    const found = await control.get('/webhooks/deliveries?type=scalekit.dir.*').expect(200);
    expect(found.body.deliveries).toMatchObject([{ event_type: type, status: 'SUCCESS', payload: body }]);
    await control.get(`/webhooks/deliveries/wait?type=${type}&timeout=2m`).expect(200);
    const { events } = (
      await api
        .post('/api/v1/events/paginated')
        .send({ event_types: [type] })
        .expect(200)
    ).body;
    expect(events).toMatchObject([{ id: body.id, type }]);
    await control.get('/coverage').expect(200);
  });

  it.each([
    [
      { type: 'scalekit.dir.user.create' },
      /^type: there is no event type scalekit\.dir\.user\.create.* in like /,
    ],
    [{ type: 'x.y', like: 'organization.create' }, /^like: .*did you mean organization\.created\?/],
    [
      { type: 'role.created', like: 'user.login', data: { name: null } },
      /^organization_id: role\.created has no such member/,
    ],
    [{ type: 'x'.repeat(256), like: 'user.login' }, /type/],
    [{ type: '', like: 'user.login' }, /type/],
    [{ type: 'x.y', like: 7 }, /like/],
  ])('refuses %j, and records nothing', async (trigger, message) => {
    const { control } = await boot();
    const hash = (await control.get('/state/hash').expect(200)).body;

    const { body } = await control.post('/webhooks/events').send(trigger).expect(400);

    expect(`${body.message} ${JSON.stringify(body.details)}`).toMatch(message);
    expect((await control.get('/state/hash').expect(200)).body).toEqual(hash);
  });
});

describe('Control_CreateWebhookEndpoint', () => {
  it('generates a secret and accepts all events, one delivery at a time', async () => {
    const { control } = await boot({ now: NOW });

    const { id, secret, ...rest } = await addEndpoint(control, { url: URL });

    expect(id).toMatch(/^ep_\d{17,}$/);
    expect(Buffer.from(secret.replace('whsec_', ''), 'base64')).toHaveLength(24);
    const times = { created_at: NOW, updated_at: NOW };
    expect(rest).toEqual({ kind: 'http', url: URL, enabled: true, max_in_flight: 1, ...times });
    const { body } = await control.get('/webhooks/endpoints').expect(200);
    expect(body).toEqual({ endpoints: [{ id, secret, ...rest }] });
  });

  it('accepts every setting of an endpoint', async () => {
    const { control } = await boot();
    const wanted = {
      kind: 'inbox',
      description: 'of the test',
      event_types: ['user.*', 'role.created'],
      secret: SECRET,
      enabled: false,
      max_in_flight: 5,
    };

    expect(await addEndpoint(control, wanted)).toMatchObject(wanted);
  });

  it.each([
    ['a URL with another scheme', { url: 'ftp://localhost/x' }, /^url: .*an http or https address, such as/],
    ['an invalid URL', { url: 'http://local host:99999/' }, /^url: /],
    [
      'a port out of range',
      { url: 'http://localhost:99999/' },
      /^url: http:\/\/localhost:99999\/ is not an http or https address/,
    ],
    ['no URL', {}, /^url: give an address to call, .*or kind: inbox/],
    ['an inbox with a URL', { kind: 'inbox', url: URL }, /^url: an inbox has no url/],
    ['an empty filter', { kind: 'inbox', event_types: [] }, /^event_types: /],
    [
      'an unknown event type',
      { kind: 'inbox', event_types: ['user.login', 'user.logn'] },
      /^event_types\[1\]: no event is of type user.logn; did you mean user.login\?/,
    ],
    [
      'a filter that matches no event type',
      { kind: 'inbox', event_types: ['invoices.*'] },
      /^event_types\[0\]: no event is of type invoices.\*; all types are in/,
    ],
    [
      'a filter that is misspelt',
      { kind: 'inbox', event_types: ['organisation.*'] },
      /^event_types\[0\]: no event is of type organisation.\*; did you mean organization.\*\?/,
    ],
    ['a secret without its prefix', { url: URL, secret: 'secret' }, /^secret: .*whsec_ and a key in base64/],
    [
      'a secret that is too short',
      { url: URL, secret: 'whsec_MfKQ9' },
      /^secret: .*whsec_ and a key in base64/,
    ],
  ])('refuses %s and explains what is valid', async (_, wanted, message) => {
    const { control } = await boot();

    const { body } = await control.post('/webhooks/endpoints').send(wanted).expect(400);

    const [violation] = body.details[0].validation_error_info?.field_violations ?? [];
    expect(violation ? `${violation.field}: ${violation.description}` : body.message).toMatch(message);
    expect((await control.get('/webhooks/endpoints').expect(200)).body).toEqual({ endpoints: [] });
  });
});

describe('Control_UpdateWebhookEndpoint', () => {
  it('changes the given members, and accepts all events with *', async () => {
    const { api, control } = await boot({ now: NOW });
    const made = await addEndpoint(control, { url: URL, event_types: ['role.*'], description: 'one' });
    await control.post('/clock/advance').send({ by: '1h' }).expect(200);

    const change = { event_types: ['*'], description: '', url: `${URL}/2`, enabled: false };
    const { body } = await control.patch(`/webhooks/endpoints/${made.id}`).send(change).expect(200);

    expect(body).toEqual({ ...made, ...change, updated_at: '2030-01-01T01:00:00.000Z' });
    await happen(api);
    expect(await deliveriesOf(control)).toEqual([]);
    await control.patch(`/webhooks/endpoints/${made.id}`).send({ enabled: true }).expect(200);
    await happen(api);
    expect(await deliveriesOf(control)).toHaveLength(1);
  });

  it('refuses a URL for an inbox, and a filter that matches no event type', async () => {
    const { control } = await boot();
    const { id } = await addEndpoint(control);

    await control.patch(`/webhooks/endpoints/${id}`).send({ url: URL }).expect(400);
    await control
      .patch(`/webhooks/endpoints/${id}`)
      .send({ event_types: ['user.logn'] })
      .expect(400);
    await control.patch(`/webhooks/endpoints/${id}`).send({ event_types: [] }).expect(400);
  });
});

describe('Control_DeleteWebhookEndpoint', () => {
  it('deletes the endpoint and its deliveries', async () => {
    const { api, control } = await boot();
    const [one, other] = [await addEndpoint(control), await addEndpoint(control)];
    await happen(api);

    await control.delete(`/webhooks/endpoints/${one.id}`).expect(204);

    await control.get(`/webhooks/endpoints/${one.id}`).expect(404);
    expect(await deliveriesOf(control)).toMatchObject([{ endpoint_id: other.id }]);
  });
});

describe('Control_RotateWebhookSecret', () => {
  it("keeps the old secret valid for a day of the environment's clock", async () => {
    const { control } = await boot({ now: NOW });
    const { id, secret } = await addEndpoint(control);

    const { body } = await control.post(`/webhooks/endpoints/${id}/rotate`).expect(200);
    const again = await control
      .post(`/webhooks/endpoints/${id}/rotate`)
      .send({ secret: SECRET, overlap: '1h' });
    await control.post('/clock/advance').send({ by: '1h' }).expect(200);
    const later = await control.get(`/webhooks/endpoints/${id}`).expect(200);
    await control.post('/clock/advance').send({ by: '23h' }).expect(200);
    const last = await control.get(`/webhooks/endpoints/${id}`).expect(200);

    const first = { secret, expires_at: '2030-01-02T00:00:00.000Z' };
    expect(body.secret).not.toBe(secret);
    expect(body.old_secrets).toEqual([first]);
    const second = { secret: body.secret, expires_at: '2030-01-01T01:00:00.000Z' };
    expect(again.body).toMatchObject({ secret: SECRET, old_secrets: [second, first] });
    expect(later.body.old_secrets).toEqual([first]);
    expect(last.body).not.toHaveProperty('old_secrets');
  });

  it('keeps at most ten old secrets', async () => {
    const { api, control } = await boot({ now: NOW });
    const { id } = await addEndpoint(control, { kind: 'inbox', url: undefined });
    const secrets = [];
    for (let time = 0; time < 13; time += 1)
      secrets.unshift((await control.post(`/webhooks/endpoints/${id}/rotate`).expect(200)).body.secret);
    await happen(api);

    const { body } = await control.get(`/webhooks/endpoints/${id}`).expect(200);
    const sent = (await control.get('/webhooks/deliveries/wait?timeout=2m').expect(200)).body.deliveries[0];

    expect(body.secret).toBe(secrets[0]);
    expect(body.old_secrets.map(({ secret }: { secret: string }) => secret)).toEqual(secrets.slice(1, 11));
    expect(sent.attempts[0].headers['webhook-signature'].split(' ')).toHaveLength(11);
  });

  it('drops the old secret at once with overlap 0s, and refuses the current secret', async () => {
    const { control } = await boot();
    const { id } = await addEndpoint(control);

    const { body } = await control
      .post(`/webhooks/endpoints/${id}/rotate`)
      .send({ overlap: '0s', secret: SECRET });

    expect(body).toMatchObject({ secret: SECRET });
    expect(body).not.toHaveProperty('old_secrets');
    await control.post(`/webhooks/endpoints/${id}/rotate`).send({ secret: SECRET }).expect(400);
  });

  it.each(['99999999d', `${'9'.repeat(400)}d`])('refuses an overlap of %s', async (overlap) => {
    const { control } = await boot({ now: NOW });
    const { id, ...before } = await addEndpoint(control);

    const { body } = await control.post(`/webhooks/endpoints/${id}/rotate`).send({ overlap }).expect(400);

    expect(body.message).toBe(`overlap: ${overlap} is too long: at most 36500d`);
    expect((await control.get(`/webhooks/endpoints/${id}`)).body).toEqual({ id, ...before });
  });
});

describe('Control_ListWebhookDeliveries', () => {
  it('lists the exact body and the URL of each delivery', async () => {
    const { api, control } = await boot({ now: NOW });
    const { id } = await addEndpoint(control, { url: 'http://127.0.0.1:9/hooks' });
    const event = await happen(api);

    const [delivery] = await deliveriesOf(control);

    expect(delivery).toMatchObject({
      id: expect.stringMatching(/^msg_\d{17,}$/),
      endpoint_id: id,
      url: 'http://127.0.0.1:9/hooks',
      event_id: event.id,
      event_type: 'user.login',
      payload: { ...event, event: 'user.login' },
      created_at: NOW,
    });
    expect(delivery.body).toBe(JSON.stringify(delivery.payload));
    const one = await control.get(`/webhooks/deliveries/${delivery.id}`).expect(200);
    expect(one.body).toMatchObject({ id: delivery.id, body: delivery.body });
  });

  it('filters by endpoint, URL, type, status and since', async () => {
    const { api, control } = await boot();
    const inbox = await addEndpoint(control, { kind: 'inbox', event_types: ['user.*'] });
    const called = await addEndpoint(control, { url: 'http://127.0.0.1:9/hooks' });
    await happen(api, 'user.login');
    await happen(api, 'role.created');
    const all = await deliveriesOf(control);

    const shown = (query: string) =>
      deliveriesOf(control, query).then((found) =>
        found.map((each: { endpoint_id: string; event_type: string }) => [each.endpoint_id, each.event_type]),
      );

    expect(all).toHaveLength(3);
    expect(await shown(`?endpoint=${inbox.id}`)).toEqual([[inbox.id, 'user.login']]);
    expect(await shown('?endpoint=http://127.0.0.1:9/*&type=user.*')).toEqual([[called.id, 'user.login']]);
    expect(await shown(`?since=${all[1].id}`)).toEqual([[called.id, 'role.created']]);
    expect(await shown('?limit=1')).toEqual([[called.id, 'role.created']]);
    expect(await shown('?status=DROPPED')).toEqual([]);
  });

  it.each([
    ['?type=user.logn', 400, /^type: there is no event type user.logn; did you mean user.login\?$/],
    ['?endpoint=ep_1', 404, /^webhook endpoint ep_1 not found; (did you mean|known)/],
    ['?endpoint=http://localhost:9/*', 404, /known: ep_\d+$/],
    ['?since=msg_1', 404, /^webhook delivery msg_1 not found/],
    ['?status=DONE', 400, /^Validation error/],
  ])('refuses %s and lists what exists', async (query, status, message) => {
    const { control } = await boot();
    await addEndpoint(control);

    const { body } = await control.get(`/webhooks/deliveries${query}`).expect(status);

    expect(body.message).toMatch(message);
  });
});

describe('Control_WaitForWebhookDeliveries', () => {
  it('responds when enough deliveries are done, and counts only later ones with `since`', async () => {
    const { api, control } = await boot();
    const { id } = await addEndpoint(control);
    const wait = async (query: string) =>
      (await control.get(`/webhooks/deliveries/wait?endpoint=${id}${query}&timeout=2m`).expect(200)).body
        .deliveries;

    const [both] = await Promise.all([wait('&count=2'), happen(api), happen(api, 'role.created')]);
    expect(both).toMatchObject([{ status: 'SUCCESS' }, { status: 'SUCCESS' }]);
    expect(new Set(both.map((each: { event_type: string }) => each.event_type)).size).toBe(2);

    const [last] = (await deliveriesOf(control)).slice(-1);
    const [later] = await Promise.all([wait(`&since=${last.id}`), happen(api, 'user.logout')]);
    expect(later).toMatchObject([{ event_type: 'user.logout' }]);
  });

  it('explains why no delivery can arrive', async () => {
    const { control } = await boot();
    const wait = async (query: string) =>
      (await control.get(`/webhooks/deliveries/wait?timeout=1ms${query}`).expect(408)).body;

    expect((await wait('')).message).toMatch(
      /^after 1ms, 0 of 1 deliveries had come; there is no webhook endpoint/,
    );
    const { id } = await addEndpoint(control, { kind: 'inbox', event_types: ['role.*'], enabled: false });
    expect((await wait('')).message).toMatch(new RegExp(`; webhook endpoint ${id} is disabled$`));
    await control.patch(`/webhooks/endpoints/${id}`).send({ enabled: true }).expect(200);
    expect((await wait('&type=user.login')).message).toMatch(/; no webhook endpoint listens to user.login$/);
    expect((await wait('')).message).toMatch(/ had come$/);
  });

  it('lists the nearest deliveries', async () => {
    const { api, control } = await boot();
    const { id } = await addEndpoint(control);
    await happen(api, 'role.created');
    await happen(api, 'user.logout');

    const { body } = await control
      .get('/webhooks/deliveries/wait?type=user.login&status=DROPPED&timeout=1ms')
      .expect(408);

    expect(body).toMatchObject({
      deliveries: [],
      others: [{ endpoint_id: id, event_type: 'user.logout' }, {}],
    });
  });
});

describe('Control_RedeliverWebhook', () => {
  it('keeps the latest hundred attempts, and schedules retries as if it had all', async () => {
    const { api, control } = await boot({ now: NOW });
    await addEndpoint(control, { kind: 'inbox', url: undefined });
    await happen(api);
    const { id } = (await control.get('/webhooks/deliveries/wait?timeout=2m').expect(200)).body.deliveries[0];
    const attempts = Array.from({ length: 100 }, (_, at) => ({ time: NOW, duration_ms: at }));
    await control.patch(`/state/webhook_deliveries/${id}`).send({ attempts }).expect(200);
    const down = { on: 'webhook.*', reply: { status: 500 } };
    await control
      .post('/scenarios')
      .send({ name: 'down', rules: [down] })
      .expect(201);
    const failed = async (next: string) => {
      const { body } = await control
        .get(`/webhooks/deliveries/wait?id=${id}&status=RETRYING&timeout=2m`)
        .expect(200);
      expect(body.deliveries[0].next_attempt_at).toBe(next);
      return body.deliveries[0];
    };

    await control.post(`/webhooks/deliveries/${id}/redeliver`).expect(202);
    const first = await failed('2030-01-01T00:00:05.000Z');
    await control.post('/clock/advance').send({ by: '5s' }).expect(200);
    const second = await failed('2030-01-01T00:00:35.000Z');

    expect(first).toMatchObject({ dropped_attempts: 1, redelivered: { attempts_before: 100 } });
    expect(first.attempts[0]).toMatchObject({ duration_ms: 1 });
    expect(second).toMatchObject({ dropped_attempts: 2 });
    expect([first, second].map((delivery) => delivery.attempts.length)).toEqual([100, 100]);
  });

  it('sends the delivery again with the same id and a new signature', async () => {
    const { api, control } = await boot({ now: NOW });
    await addEndpoint(control);
    await happen(api);
    const wait = async (query = '') =>
      (await control.get(`/webhooks/deliveries/wait?timeout=2m${query}`).expect(200)).body.deliveries[0];
    const first = await wait();
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 3_600_000 });

    const { body } = await control.post(`/webhooks/deliveries/${first.id}/redeliver`).expect(202);
    const again = await wait(`&id=${first.id}`);

    expect(body).toMatchObject({ id: first.id, body: first.body });
    expect(again).toMatchObject({ id: first.id, status: 'SUCCESS', body: first.body });
    const [one, other] = again.attempts.map((each: { headers: object }) => each.headers);
    expect(one['webhook-id']).toBe(other['webhook-id']);
    expect(Number(other['webhook-timestamp']) - Number(one['webhook-timestamp'])).toBeGreaterThanOrEqual(
      3600,
    );
    expect(other['webhook-signature']).not.toBe(one['webhook-signature']);
  });

  it('restarts the retry schedule when the receiver does not respond', async () => {
    const { api, control } = await boot({ now: NOW });
    await addEndpoint(control, { url: 'http://127.0.0.1:9/hooks' });
    await happen(api);
    const wait = async (status: string) =>
      (await control.get(`/webhooks/deliveries/wait?status=${status}&timeout=2m`).expect(200)).body
        .deliveries[0];
    await wait('RETRYING');
    await control.post('/clock/advance').send({ by: '1h' }).expect(200);
    const { id, attempts } = await wait('FAILED');

    await control.post(`/webhooks/deliveries/${id}/redeliver`).expect(202);
    const again = await wait('RETRYING');

    expect(attempts).toHaveLength(6);
    expect(again).toMatchObject({ id, next_attempt_at: '2030-01-01T01:00:05.000Z' });
  });

  it('refuses a delivery to a disabled endpoint', async () => {
    const { api, control } = await boot();
    const { id } = await addEndpoint(control);
    await happen(api);
    const [delivery] = await deliveriesOf(control);
    await control.patch(`/webhooks/endpoints/${id}`).send({ enabled: false }).expect(200);

    const { body } = await control.post(`/webhooks/deliveries/${delivery.id}/redeliver`).expect(400);

    expect(body.message).toBe(`webhook endpoint ${id} is disabled: enable it first`);
  });
});

describe('Control_DeleteWebhookDeliveries', () => {
  it('deletes the deliveries of one endpoint, or all', async () => {
    const { api, control } = await boot();
    const [one, other] = [await addEndpoint(control), await addEndpoint(control)];
    await happen(api);

    await control.delete(`/webhooks/deliveries?endpoint=${one.id}`).expect(204);
    expect(await deliveriesOf(control)).toMatchObject([{ endpoint_id: other.id }]);
    await control.delete('/webhooks/deliveries').expect(204);

    expect(await deliveriesOf(control)).toEqual([]);
  });
});

describe('reset?only=webhooks', () => {
  it('restores the endpoints of the initial state in their order', async () => {
    const { control } = await boot();
    const endpoint = (id: string) => ({
      id,
      kind: 'inbox',
      secret: SECRET,
      enabled: true,
      max_in_flight: 1,
      created_at: NOW,
      updated_at: NOW,
    });
    const webhook_endpoints = ['ep_1', 'ep_2', 'ep_3'].map(endpoint);
    await control
      .put('/state')
      .send({ include: ['default'], webhook_endpoints })
      .expect(204);
    await control.post('/environments/default/fork').send({ name: 'forked' }).expect(201);
    const forked = `/environments/forked`;

    await control.delete(`${forked}/webhooks/endpoints/ep_1`).expect(204);
    await control.patch(`${forked}/webhooks/endpoints/ep_2`).send({ enabled: false }).expect(200);
    await control.post(`${forked}/webhooks/endpoints`).send({ kind: 'inbox' }).expect(201);
    await control.post(`${forked}/reset?only=webhooks`).expect(204);

    const { body } = await control.get(`${forked}/webhooks/endpoints`).expect(200);
    expect(body.endpoints).toEqual(webhook_endpoints);
  });
});

describe('a change of a row through the control API', () => {
  const ACME = '/state/organizations/org_10000000000000001';

  it('emits events only with ?events=true', async () => {
    const { control } = await boot();
    await addEndpoint(control);

    await control.patch(ACME).send({ display_name: 'Silent' }).expect(200);
    expect(await deliveriesOf(control)).toEqual([]);
    await control.patch(`${ACME}?events=true`).send({ display_name: 'Loud' }).expect(200);
    await control.delete(`${ACME}?events=true`).expect(204);

    const told = await deliveriesOf(control, '?type=organization.*ed');
    expect(told.map((each: { event_type: string }) => each.event_type)).toEqual([
      'organization.updated',
      'organization.deleted',
    ]);
  });
});
