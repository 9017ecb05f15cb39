import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { boot } from '../support/boot.ts';
import { call2, dialHttp2 } from '../support/port.ts';
import { eventuallyHolds } from '../support/process.ts';
import { openFor } from './grpc/support.ts';

const PATH = '/api/v1/organizations/org_10000000000000001';

async function opened(...rules: object[]) {
  const booted = await boot();
  if (rules.length > 0) await booted.control.post('/scenarios').send({ name: 'x', rules }).expect(201);
  const session = dialHttp2(await openFor(booted.understudy));
  const authorization = `Bearer ${booted.token}`;
  const lastEntry = async () => (await booted.control.get('/requests?limit=1').expect(200)).body.requests[0];
  return { ...booted, session, authorization, lastEntry };
}

describe('REST over HTTP/2', () => {
  it.each([
    { disconnect: 'before' },
    { disconnect: 'reset' },
    { disconnect: 'middle' },
    { truncate: 0 },
    { truncate: 3 },
  ])('breaks off with %j, and the next call succeeds', async (fault) => {
    const { session, authorization } = await opened({ on: 'OrganizationService_*', times: 1, fault });
    await expect(call2(session, { ':path': PATH, authorization })).rejects.toThrow();
    expect((await call2(session, { ':path': PATH, authorization })).status).toBe(200);
  });

  it('ends a delayed call when the client disconnects: nothing happens', async () => {
    const rule = { on: 'OrganizationService_DeleteOrganization', fault: { delay: '1h' } };
    const { session, authorization, lastEntry } = await opened(rule);
    const stream = session.request({ ':method': 'DELETE', ':path': PATH, authorization });
    stream.on('error', () => {});
    await eventuallyHolds(async () =>
      expect(await lastEntry()).toMatchObject({ operation: 'OrganizationService_DeleteOrganization' }),
    );

    stream.close(8);
    await once(stream, 'close');

    await eventuallyHolds(async () =>
      expect(await lastEntry()).toMatchObject({ fault: { abandoned: true } }),
    );
    expect((await call2(session, { ':path': PATH, authorization })).status).toBe(200);
  });

  it('has its own protocol name in the journal and in rules', async () => {
    const reply = { error: 'unavailable' };
    const { session, authorization, lastEntry, api } = await opened({
      on: '*',
      when: { protocol: 'http/2' },
      reply,
    });
    expect((await call2(session, { ':path': PATH, authorization })).status).toBe(503);
    expect(await lastEntry()).toMatchObject({ protocol: 'http/2' });
    await api.get(PATH).expect(200);
    expect(await lastEntry()).toMatchObject({ protocol: 'http/1.1' });
  });
});
