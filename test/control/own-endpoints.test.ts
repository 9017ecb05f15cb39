import { expect, it } from 'vitest';
import { KNOWN_WEBHOOK_SECRET } from '../../src/start/config.ts';
import { boot, type Agent } from '../support/boot.ts';

const ONE = 'http://localhost:9/one';
const OTHER = 'http://localhost:9/other';
const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const DEFAULTS = { kind: 'http', enabled: true, max_in_flight: 1, secret: KNOWN_WEBHOOK_SECRET };

const endpointsOf = async (control: Agent) =>
  (await control.get('/webhooks/endpoints').expect(200)).body.endpoints;

it('a --webhook endpoint exists from the start in every environment, once for each URL', async () => {
  const { control, environment } = await boot({ webhooks: [ONE, OTHER, ONE] });
  const worker = await environment('worker', { fixture: 'empty' });
  await control.post('/environments/worker/fork').send({ name: 'fork' }).expect(201);

  const expected = [
    expect.objectContaining({ ...DEFAULTS, url: ONE }),
    expect.objectContaining({ ...DEFAULTS, url: OTHER }),
  ];
  expect(await endpointsOf(control)).toEqual(expected);
  expect(await endpointsOf(worker.control)).toEqual(expected);
  const fork = await control.get('/environments/fork/webhooks/endpoints').expect(200);
  expect(fork.body.endpoints).toEqual(expected);
});

it('a --webhook endpoint gets events from the first change on', async () => {
  const { api, control } = await boot({ webhooks: [ONE] });

  await api.post('/api/v1/organizations').send({ display_name: 'Hooli' }).expect(201);

  const { body } = await control.get('/webhooks/deliveries').expect(200);
  expect(body.deliveries).toMatchObject([{ url: ONE, event_type: 'organization.created' }]);
});

it('a --webhook endpoint survives a new state, its deletion and a reset', async () => {
  const { control } = await boot({ webhooks: [ONE], webhookSecret: SECRET });
  const before = await endpointsOf(control);
  expect(before).toMatchObject([{ ...DEFAULTS, url: ONE, secret: SECRET }]);
  const [{ id }] = before;
  const { body: rows } = await control.get('/state').expect(200);

  await control.put('/state').send({ settings: rows.settings }).expect(204);
  expect(await endpointsOf(control)).toEqual(before);
  await control.delete(`/webhooks/endpoints/${id}`).expect(204);
  await control.post('/reset?only=webhooks').expect(204);
  expect(await endpointsOf(control)).toEqual(before);
  await control.delete(`/webhooks/endpoints/${id}`).expect(204);
  await control.post('/reset').expect(204);
  expect(await endpointsOf(control)).toEqual(before);
});

it('a --webhook endpoint keeps the changes that are part of a state', async () => {
  const { control } = await boot({ webhooks: [ONE] });
  const [{ id }] = await endpointsOf(control);
  await control
    .patch(`/webhooks/endpoints/${id}`)
    .send({ enabled: false, event_types: ['user.*'] })
    .expect(200);
  await control.post(`/webhooks/endpoints/${id}/rotate`).send({ secret: SECRET }).expect(200);
  const before = await endpointsOf(control);
  const { body: rows } = await control.get('/state').expect(200);

  await control.put('/state').send(rows).expect(204);

  expect(await endpointsOf(control)).toEqual(before);
  expect(before).toMatchObject([{ enabled: false, event_types: ['user.*'], secret: SECRET }]);
});
