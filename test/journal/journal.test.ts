import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DEFAULTS } from '../../src/start/config.ts';
import { Journal } from '../../src/journal/journal.ts';
import { boot } from '../support/boot.ts';

const ORGANIZATION = '/api/v1/organizations/org_10000000000000001';

const kept = (...[entries, bytes]: [number, number]) => ({ journal: { entries, bytes, redact: true } });

describe('the journal', () => {
  it('keeps the latest calls up to its limit', async () => {
    const { api, control } = await boot(kept(3, 1_000_000));
    const ids: string[] = [];
    for (let call = 0; call < 5; call += 1)
      ids.push((await api.get(ORGANIZATION).expect(200)).headers['understudy-request-id']!);

    const { body } = await control.get('/requests').expect(200);
    const gone = await control.get(`/requests/${ids[1]}`).expect(404);
    const later = await control.get(`/requests?since=${ids[1]}`).expect(200);

    expect(body.requests.map(({ id }: { id: string }) => id)).toEqual(ids.slice(2));
    expect(gone.body.message).toBe(`request ${ids[1]} not found; did you mean ${ids[2]}?`);
    expect(later.body).toEqual(body);
  });

  it('keeps no call with a limit of zero, and calls still have ids', async () => {
    const { api, control } = await boot(kept(0, 1_000_000));

    const { headers } = await api.get(ORGANIZATION).expect(200);

    expect(headers['understudy-request-id']).toBe('req_2');
    expect((await control.get('/requests').expect(200)).body).toEqual({ requests: [], total: 0, kept: 0 });
  });

  it('is limited in bytes, but always keeps the latest call', async () => {
    const { api, control } = await boot(kept(1000, 10_000));
    for (let call = 0; call < 20; call += 1) await api.get(ORGANIZATION).expect(200);

    const some = (await control.get('/requests').expect(200)).body.requests;
    await api
      .post('/api/v1/organizations')
      .send({ display_name: 'Globex', stranger: 'x'.repeat(20_000) })
      .expect(201);
    const one = (await control.get('/requests').expect(200)).body.requests;

    expect(some.length).toBeGreaterThan(3);
    expect(some.length).toBeLessThan(10);
    expect(one).toMatchObject([{ operation: 'OrganizationService_CreateOrganization' }]);
  });

  it('counts the bytes of queries', async () => {
    const { api, control } = await boot(kept(1000, 10_000));
    const path = `${ORGANIZATION}?stranger=${'x'.repeat(4000)}`;
    for (let call = 0; call < 6; call += 1) await api.get(path).expect(200);

    const { body } = await control.get('/requests').expect(200);

    expect(body.requests.length).toBeLessThan(3);
  });

  it('counts the bytes of changed rows', async () => {
    const { api, control } = await boot(kept(1000, 10_000));
    await api.get(ORGANIZATION).expect(200);
    await api.delete(ORGANIZATION).expect(200);

    const { body } = await control.get('/requests').expect(200);

    expect(body.requests).toMatchObject([{ operation: 'OrganizationService_DeleteOrganization' }]);
    expect(body.requests[0].changes.length).toBeGreaterThan(15);
  });

  it('truncates a large body, and keeps the other calls', async () => {
    const { api, control } = await boot();
    const organization = { display_name: 'Globex', metadata: { plan: 'free' } };
    const strangers = Array.from({ length: 900 }, (_, index) => ({ index, text: 'x'.repeat(1000) }));
    await api.get(ORGANIZATION).expect(200);
    for (let call = 0; call < 8; call += 1)
      await api
        .post('/api/v1/organizations')
        .send({ ...organization, strangers })
        .expect(201);

    const { requests } = (await control.get('/requests').expect(200)).body;

    expect(requests).toHaveLength(10);
    const { request, changes, response } = requests.at(-1);
    expect(request.truncated).toBeGreaterThan(900_000);
    expect(request.body).toMatchObject(organization);
    expect(request.body.strangers.at(-1)).toMatch(/^… 8\d\d more elements$/);
    expect(JSON.stringify(request.body).length).toBeLessThan(40_000);
    expect(changes).toMatchObject([
      { op: 'add', value: { display_name: 'Globex' } },
      { op: 'add', value: { type: 'organization.created' } },
    ]);
    expect(response.body.organization).toMatchObject(organization);
  });

  it('shows unreadable bodies and calls of unknown operations', async () => {
    const { api, control } = await boot();
    const malformed = '{"display_name": "Globex", "client_secret": "hush", ';
    await api.post('/api/v1/organizations').type('json').send(malformed).expect(400);
    await api.post('/api/v1/nothing').send({ display_name: 'Globex', password: 'hush' }).expect(404);
    await api.delete('/api/v1/organizations').expect(405);

    const [unread, unknown, method] = (await control.get('/requests').expect(200)).body.requests.slice(-3);

    expect(unread.request.unread).toBe('{"display_name": "Globex", "client_secret": [redacted], ');
    expect(unread).toMatchObject({ status: 400, operation: 'OrganizationService_CreateOrganization' });
    expect(unknown.request.body).toEqual({ display_name: 'Globex', password: '[redacted]' });
    expect(unknown).toMatchObject({ status: 404, response: { body: { code: 5 } } });
    expect(method).toMatchObject({
      status: 405,
      method: 'DELETE',
      response: { headers: { allow: 'GET, POST' } },
    });
    expect([unknown.operation, method.operation]).toEqual([undefined, undefined]);
  });

  it('keeps its limits in whatever order calls end', () => {
    const request = {
      protocol: 'http/1.1',
      method: 'GET',
      path: '/',
      query: {},
      headers: {},
      body: undefined,
    };
    const step = fc.oneof(
      fc.record({ open: fc.integer({ min: 0, max: 5000 }) }),
      fc.record({ close: fc.nat(20) }),
      fc.constant('clear' as const),
      fc.constant('reset' as const),
    );
    const settings = fc.record({ entries: fc.integer({ min: 0, max: 5 }), bytes: fc.nat(12_000) });
    fc.assert(
      fc.property(settings, fc.array(step, { maxLength: 60 }), (bounds, steps) => {
        const journal = new Journal(
          'default',
          { ...bounds, redact: true },
          { onCall: () => {}, counts: { stored: 0, lost: 0 } },
        );
        const opened: ReturnType<Journal['open']>[] = [];
        let known: typeof opened = [];
        for (const each of steps) {
          if (each === 'clear') journal.clear();
          else if (each === 'reset') journal.reset();
          else if ('open' in each) {
            opened.push(journal.open({ ...request, size: each.open }, 0));
            known.push(opened.at(-1)!);
          } else {
            const [entry] = opened.splice(each.close % Math.max(opened.length, 1), 1);
            entry?.close({ status: 200, headers: {}, body: undefined, text: 'x' });
          }
          if (typeof each === 'string') known = [];

          const listed = journal.list();
          expect(listed.length).toBeLessThanOrEqual(bounds.entries);
          expect(listed).toEqual(known.slice(known.length - listed.length));
          const weight = listed.reduce((sum, { size }) => sum + size, 0);
          expect(weight <= bounds.bytes || listed.length <= 1 || listed.at(-1)!.size === 0).toBe(true);
          for (const entry of listed) expect(journal.find(entry.id)).toBe(entry);
        }
      }),
    );
  });
});

it('redacts by default', () => expect(DEFAULTS.journal.redact).toBe(true));
