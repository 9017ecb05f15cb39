import { describe, expect, it } from 'vitest';
import { boot } from '../support/boot.ts';

const ORGANIZATIONS = '/api/v1/organizations';

const outage = (rule: object = {}) => ({
  name: 'outage',
  rules: [
    { on: 'OrganizationService_CreateOrganization', times: 1, reply: { error: 'unavailable' }, ...rule },
  ],
});

describe('the order of the pipeline', () => {
  it('checks the token before a scenario rule counts the call', async () => {
    const { api, anonymous, control } = await boot();
    await control.post('/scenarios').send(outage()).expect(201);

    await anonymous.post(ORGANIZATIONS).send({ display_name: 'Acme' }).expect(401);

    await api.post(ORGANIZATIONS).send({ display_name: 'Acme' }).expect(503);
    await api.post(ORGANIZATIONS).send({ display_name: 'Acme' }).expect(201);
  });

  it.each([
    ['a body that breaks the contract', (api: Api) => api.post(ORGANIZATIONS).send({ display_name: 7 })],
    ['malformed JSON', (api: Api) => api.post(ORGANIZATIONS).type('json').send('{')],
    ['another content type', (api: Api) => api.post(ORGANIZATIONS).type('text/csv').send('a,b')],
    ['a body of 10 MB', (api: Api) => api.post(ORGANIZATIONS).type('json').send('x'.repeat(10_000_000))],
    ['a malformed query', (api: Api) => api.post(`${ORGANIZATIONS}?a=%zz`).send({ display_name: 'Acme' })],
  ])('applies a scripted outage before it refuses %s', async (_, bad) => {
    const { api, control } = await boot();
    await control.post('/scenarios').send(outage()).expect(201);

    const outageFirst = await bad(api);
    const thenRefused = await bad(api);

    expect(outageFirst.status).toBe(503);
    expect([400, 413, 415]).toContain(thenRefused.status);
  });

  it('applies a scripted outage before it refuses malformed percent-encoding in the path', async () => {
    const { api, control } = await boot();
    await control
      .post('/scenarios')
      .send(outage({ on: 'OrganizationService_GetOrganization' }))
      .expect(201);

    await api.get(`${ORGANIZATIONS}/%zz`).expect(503);

    await api.get(`${ORGANIZATIONS}/%zz`).expect(400);
  });

  it('validates a request before it looks up rows', async () => {
    const { api } = await boot();

    const response = await api.patch(`${ORGANIZATIONS}/org_404`).send({ display_name: '' }).expect(400);

    expect(response.body.message).toBe('Validation error');
  });

  it('counts a call for a delaying rule even when the call is then refused', async () => {
    const { api, control } = await boot();
    await control
      .post('/scenarios')
      .send(outage({ reply: undefined, fault: { delay: '1ms' } }))
      .expect(201);

    await api.post(ORGANIZATIONS).send({}).expect(400);

    const { body } = await control.get('/scenarios').expect(200);
    expect(body.loaded).toMatchObject([{ rules: [{ hits: 1, remaining: 0 }] }]);
  });
});

describe('an operation that fails', () => {
  it('changes nothing and uses no id', async () => {
    const { api, control } = await boot({ now: '2030-01-01T00:00:00Z' });
    await api.post(ORGANIZATIONS).send({ display_name: 'Acme', external_id: 'taken' }).expect(201);
    const before = await control.get('/state/hash').expect(200);

    await api.post(ORGANIZATIONS).send({ display_name: 'Acme', external_id: 'taken' }).expect(400);
    await api.post(`${ORGANIZATIONS}/org_404/users`).send({ email: 'ada@example.com' }).expect(404);
    await api
      .post(`${ORGANIZATIONS}/org_10000000000000001/users`)
      .send({ email: 'new@example.com', membership: { roles: [{ name: 'no_such_role' }] } })
      .expect(({ status }) => expect(status).toBeGreaterThanOrEqual(400));

    const after = await control.get('/state/hash').expect(200);
    expect(after.body).toEqual(before.body);
  });

  it('changes nothing when its response is scripted', async () => {
    const { api, control } = await boot();
    await control
      .post('/scenarios')
      .send(outage({ times: undefined }))
      .expect(201);
    const before = await control.get('/state').expect(200);

    await api.post(ORGANIZATIONS).send({ display_name: 'Acme' }).expect(503);

    const after = await control.get('/state').expect(200);
    expect(after.body).toEqual(before.body);
  });
});

type Api = Awaited<ReturnType<typeof boot>>['api'];
