import { describe, expect, it } from 'vitest';
import { boot } from '../support/boot.ts';

const ORGANIZATIONS = '/api/v1/organizations';

/** Three calls: one that is listed, one that is not found, one that makes something. */
async function called() {
  const booted = await boot();
  const { api, control } = booted;
  await control.delete('/requests').expect(204);
  const answers = [
    await api.get(ORGANIZATIONS).expect(200),
    await api.get(`${ORGANIZATIONS}/org_404`).expect(404),
    await api.post(ORGANIZATIONS).send({ display_name: 'Globex' }).expect(201),
  ];
  return { ...booted, ids: answers.map(({ headers }) => headers['understudy-request-id'] as string) };
}

const idsOf = ({ requests }: { requests: { id: string }[] }) => requests.map(({ id }) => id);

describe('Control_ListRequests', () => {
  it('has the calls of the service, oldest first', async () => {
    const { control, ids } = await called();

    const { body } = await control.get('/requests').expect(200);

    expect(idsOf(body)).toEqual(ids);
    expect(body.requests[1]).toMatchObject({
      environment: 'default',
      method: 'GET',
      path: `${ORGANIZATIONS}/org_404`,
      operation: 'OrganizationService_GetOrganization',
      status: 404,
      validation: { violations: [], unknown: [] },
      changes: [],
    });
  });

  it.each([
    ['operation=OrganizationService_CreateOrganization', [2]],
    ['status=404', [1]],
    ['limit=2', [1, 2]],
    ['status=200&operation=OrganizationService_GetOrganization', []],
  ])('narrows them by %s', async (query, wanted) => {
    const { control, ids } = await called();

    const { body } = await control.get(`/requests?${query}`).expect(200);

    expect(idsOf(body)).toEqual(wanted.map((index) => ids[index]));
  });

  it('has the calls after one', async () => {
    const { control, ids } = await called();

    const { body } = await control.get(`/requests?since=${ids[0]}`).expect(200);

    expect(idsOf(body)).toEqual(ids.slice(1));
  });

  it('does not know the calls after one that never was', async () => {
    const { control, ids } = await called();

    const { body } = await control.get('/requests?since=req_nine').expect(404);

    expect(body.message).toBe(`request req_nine not found; there is ${ids.join(', ')}`);
  });
});

describe('Control_GetRequest', () => {
  it('is the entry of the list', async () => {
    const { control, ids } = await called();
    const { body } = await control.get('/requests').expect(200);

    const one = await control.get(`/requests/${ids[1]}`).expect(200);

    expect(one.body).toEqual(body.requests[1]);
  });
});

describe('Control_ClearRequests', () => {
  it('empties the journal of one environment, and ids go on', async () => {
    const { api, control, environment, ids } = await called();
    const red = await environment('red');
    const before = (await red.control.get('/requests').expect(200)).body;

    await control.delete('/requests').expect(204);

    expect((await control.get('/requests').expect(200)).body).toEqual({ requests: [] });
    expect((await red.control.get('/requests').expect(200)).body).toEqual(before);
    const { headers } = await api.get(ORGANIZATIONS).expect(200);
    expect(ids).not.toContain(headers['understudy-request-id']);
  });
});
