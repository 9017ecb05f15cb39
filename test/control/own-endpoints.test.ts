import { expect, it } from 'vitest';
import { KNOWN_WEBHOOK_SECRET } from '../../src/config.ts';
import { boot, type Agent } from '../support/boot.ts';

const ONE = 'http://localhost:9/one';
const OTHER = 'http://localhost:9/other';
const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const TOLD = { kind: 'http', enabled: true, max_in_flight: 1, secret: KNOWN_WEBHOOK_SECRET };

const endpointsOf = async (control: Agent) =>
  (await control.get('/webhooks/endpoints').expect(200)).body.endpoints;

it('is there from the start, in every environment, for each address once', async () => {
  const { control, environment } = await boot({ webhooks: [ONE, OTHER, ONE] });
  const worker = await environment('worker', { fixture: 'empty' });
  await control.post('/environments/worker/fork').send({ name: 'fork' }).expect(201);

  const told = [
    expect.objectContaining({ ...TOLD, url: ONE }),
    expect.objectContaining({ ...TOLD, url: OTHER }),
  ];
  expect(await endpointsOf(control)).toEqual(told);
  expect(await endpointsOf(worker.control)).toEqual(told);
  const fork = await control.get('/environments/fork/webhooks/endpoints').expect(200);
  expect(fork.body.endpoints).toEqual(told);
});

it('is told what happens, from the first change on', async () => {
  const { api, control } = await boot({ webhooks: [ONE] });

  await api.post('/api/v1/organizations').send({ display_name: 'Hooli' }).expect(201);

  const { body } = await control.get('/webhooks/deliveries').expect(200);
  expect(body.deliveries).toMatchObject([{ url: ONE, event_type: 'organization.created' }]);
});

it('outlives whatever is put in the place of all rows', async () => {
  const { control } = await boot({ webhooks: [ONE], webhookSecret: SECRET });
  const before = await endpointsOf(control);
  expect(before).toMatchObject([{ ...TOLD, url: ONE, secret: SECRET }]);
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

it('is as testers have made it, wherever their rows come back', async () => {
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
