import { create as createMessage } from '@bufbuild/protobuf';
import type { ConnectError } from '@connectrpc/connect';
import { describe, expect, it } from 'vitest';
import { boot, type Booted } from '../support/boot.ts';
import { callRpc, grpcTo, METHODS, openFor } from '../server/grpc/support.ts';

const CLIENTS = '/api/v1/clients';
const LIST = '/api/v1/organizations';
const OFFICE = { opted_in: true, cidrs: [{ value: '192.0.2.0/24' }, { value: '2001:db8::/32' }] };

const made = async ({ api }: Booted, ip_allowlist: object) =>
  (await api.post(CLIENTS).send({ name: 'Shop', client_type: 'WEB_APP', ip_allowlist }).expect(200)).body
    .client;

/** A client that only the office may use, and its secret. */
async function withSecret(booted: Booted, list: object = OFFICE) {
  const { id } = await made(booted, list);
  const { body } = await booted.api.post(`${CLIENTS}/${id}/secrets`).expect(201);
  return { client_id: id as string, client_secret: body.plain_secret as string };
}

const ask = ({ anonymous }: Booted, client: object, address: string) =>
  anonymous
    .post('/oauth/token')
    .set('x-forwarded-for', address)
    .type('form')
    .send({ grant_type: 'client_credentials', ...client });

describe('a list of the addresses that may use a client', () => {
  it('is shown with the kinds of its ranges, and can be changed and removed', async () => {
    const booted = await boot();
    const shown = await made(booted, OFFICE);
    const change = async (ip_allowlist: object | undefined, mask = '') =>
      (await booted.api.patch(`${CLIENTS}/${shown.id}${mask}`).send({ ip_allowlist }).expect(201)).body
        .client;

    expect(shown.ip_allowlist).toEqual({
      opted_in: true,
      cidrs: [
        { value: '192.0.2.0/24', type: 'IPV4' },
        { value: '2001:db8::/32', type: 'IPV6' },
      ],
    });
    expect((await change({ opted_in: false, cidrs: [] })).ip_allowlist).toEqual({
      opted_in: false,
      cidrs: [],
    });
    expect(await change(undefined, '?mask=ip_allowlist')).not.toHaveProperty('ip_allowlist');
  });

  it.each([
    [{ opted_in: true }],
    [{ opted_in: true, cidrs: [{ value: '0.0.0.0/0' }] }],
    [{ cidrs: [{ value: '::/0' }] }],
    [{ cidrs: [{ value: '10.0.0.0/33' }] }],
    [{ cidrs: [{ value: 'the office' }] }],
    [{ cidrs: [{ value: '10.0.0.0/8/8' }] }],
  ])('is refused as %j', async (ip_allowlist) => {
    const { api } = await boot();

    const given = { name: 'Shop', client_type: 'WEB_APP', ip_allowlist };
    const { body } = await api.post(CLIENTS).send(given).expect(400);

    expect(body.details[0].validation_error_info.field_violations[0].field).toContain('client.ip_allowlist');
  });

  it('is for clients ENV and WEB_APP only', async () => {
    const { api } = await boot();

    await api.post(CLIENTS).send({ name: 'App', client_type: 'SPA', ip_allowlist: OFFICE }).expect(400);
  });

  it('keeps other addresses from getting and using tokens, over REST and gRPC', async () => {
    const booted = await boot({ trustProxy: true });
    const client = await withSecret(booted);
    const url = await openFor(booted.understudy);

    const refused = await ask(booted, client, '198.51.100.7').expect(400);
    const { access_token } = (await ask(booted, client, '192.0.2.9').expect(200)).body;
    await ask(booted, client, '2001:db8::7').expect(200);

    expect(refused.body).toMatchObject({
      error: 'unauthorized_client',
      error_description: expect.stringContaining('198.51.100.7'),
    });
    const authorization = `Bearer ${access_token}`;
    const use = (address: string) =>
      booted.anonymous.get(LIST).set({ authorization, 'x-forwarded-for': address });
    await use('192.0.2.10, 10.0.0.1').expect(200);
    await use('198.51.100.7').expect(403);
    const method = METHODS.get('OrganizationService_ListOrganization')!;
    const call = (address: string) =>
      callRpc(grpcTo(url), method, createMessage(method.input), {
        authorization,
        'x-forwarded-for': address,
      });
    expect(((await call('198.51.100.7')) as ConnectError).code).toBe(7);
    expect(await call('192.0.2.9')).toHaveProperty('organizations');
  });

  it('counts the address of the connection unless a proxy is trusted', async () => {
    const booted = await boot();
    const client = await withSecret(booted);
    const near = await withSecret(booted, { opted_in: true, cidrs: [{ value: '127.0.0.1' }] });

    await ask(booted, client, '192.0.2.9').expect(400);
    await ask(booted, near, '198.51.100.7').expect(200);
    await booted.api.get(LIST).expect(200);
  });
});
