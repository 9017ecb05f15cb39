import { describe, expect, it } from 'vitest';
import { boot } from '../support/boot.ts';

const ORGANIZATIONS = '/api/v1/organizations';

/** Three calls: a list, a not found, and a create. */
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
  it('lists the calls, oldest first', async () => {
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
  ])('filters by %s', async (query, wanted) => {
    const { control, ids } = await called();

    const { body } = await control.get(`/requests?${query}`).expect(200);

    expect(idsOf(body)).toEqual(wanted.map((index) => ids[index]));
  });

  it('lists the calls after `since`', async () => {
    const { control, ids } = await called();

    const { body } = await control.get(`/requests?since=${ids[0]}`).expect(200);

    expect(idsOf(body)).toEqual(ids.slice(1));
  });

  it('responds 404 when `since` is an unknown request', async () => {
    const { control, ids } = await called();

    const { body } = await control.get('/requests?since=req_nine').expect(404);

    expect(body.message).toBe(`request req_nine not found; known: ${ids.join(', ')}`);
  });

  it('lists the calls before `before`, so that the whole journal can be read in pages', async () => {
    const { api, control } = await called();
    for (let call = 0; call < 4; call += 1) await api.get(ORGANIZATIONS).expect(200);
    const all = idsOf((await control.get('/requests').expect(200)).body);

    const pages: string[][] = [];
    for (let before = ''; pages.at(-1)?.length !== 0; before = `&before=${pages.at(-1)![0]}`)
      pages.push(idsOf((await control.get(`/requests?limit=3${before}`).expect(200)).body));

    expect(pages.map(({ length }) => length)).toEqual([3, 3, 1, 0]);
    expect(pages.toReversed().flat()).toEqual(all);
  });

  it('combines since, before and filters', async () => {
    const { control, ids } = await called();

    const { body } = await control.get(`/requests?since=${ids[0]}&before=${ids[2]}&status=4xx`).expect(200);

    expect(idsOf(body)).toEqual([ids[1]]);
  });

  it('responds 404 when `before` is an unknown request', async () => {
    const { control, ids } = await called();

    const { body } = await control.get('/requests?before=req_99').expect(404);

    expect(body.message).toMatch(new RegExp(`^request req_99 not found; .*${ids[0]}`));
  });

  it.each([
    ['since', 0],
    ['before', 1],
  ])('responds 404 when %s is a dropped request, because the page would have a gap', async (name, at) => {
    const { api, control } = await boot({ journal: { entries: 3, bytes: 1_000_000, redact: true } });
    const ids: string[] = [];
    for (let call = 0; call < 5; call += 1)
      ids.push((await api.get(ORGANIZATIONS).expect(200)).headers['understudy-request-id']!);

    const { body } = await control.get(`/requests?${name}=${ids[at]}`).expect(404);

    expect(body.message).toBe(
      `${name}: the journal no longer has request ${ids[at]}: the oldest request that it has is ${ids[2]} ` +
        '(--journal-entries, --journal-bytes)',
    );
    expect(idsOf((await control.get(`/requests?since=${ids[1]}`).expect(200)).body)).toEqual(ids.slice(2));
  });

  it('accepts a cleared request as `since`, but not as `before`', async () => {
    const { api, control, ids } = await called();
    await control.delete('/requests').expect(204);
    const { headers } = await api.get(ORGANIZATIONS).expect(200);

    const { body } = await control.get(`/requests?since=${ids[0]}`).expect(200);

    expect(idsOf(body)).toEqual([headers['understudy-request-id']]);
    await control.get(`/requests?before=${ids[0]}`).expect(404);
  });
});

describe('Control_GetRequest', () => {
  it('responds with the entry of the list', async () => {
    const { control, ids } = await called();
    const { body } = await control.get('/requests?why=true').expect(200);

    const one = await control.get(`/requests/${ids[1]}`).expect(200);

    expect(one.body).toEqual(body.requests[1]);
  });
});

describe('Control_ClearRequests', () => {
  it('clears the journal of one environment, and ids continue', async () => {
    const { api, control, environment, ids } = await called();
    const red = await environment('red');
    const before = (await red.control.get('/requests').expect(200)).body;

    await control.delete('/requests').expect(204);

    expect((await control.get('/requests').expect(200)).body).toEqual({ requests: [], total: 0, kept: 0 });
    expect((await red.control.get('/requests').expect(200)).body).toEqual(before);
    const { headers } = await api.get(ORGANIZATIONS).expect(200);
    expect(ids).not.toContain(headers['understudy-request-id']);
  });
});
