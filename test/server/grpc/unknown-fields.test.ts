import { create } from '@bufbuild/protobuf';
import { WireType } from '@bufbuild/protobuf/wire';
import { Code, type ConnectError } from '@connectrpc/connect';
import { createConnectTransport, createGrpcWebTransport } from '@connectrpc/connect-node';
import { describe, expect, it } from 'vitest';
import { bootOnce } from '../../support/boot.ts';
import { listen } from '../../../src/server/port/listener.ts';
import { DEFAULTS } from '../../../src/start/config.ts';
import { grpcTo, METHODS } from './support.ts';

const { fresh } = bootOnce();
const CREATE = METHODS.get('OrganizationService_CreateOrganization')!;

const sent = (no: number) => ({ no, wireType: WireType.Varint, data: new Uint8Array([1]) });

/** A request whose sender knows field 77 of the request and field 99 of the organization in it. */
function newerMessage(outer: number[] = [77], inner: number[] = [99]) {
  const message = create(CREATE.input, { organization: { displayName: 'Newer' } } as never) as unknown as {
    $unknown?: object[];
    organization: { $unknown?: object[] };
  };
  message.$unknown = outer.map(sent);
  message.organization.$unknown = inner.map(sent);
  return message;
}

const TOLD = [
  '77 (field 77 of scalekit.v1.organizations.CreateOrganizationRequest)',
  'organization.99 (field 99 of scalekit.v1.organizations.CreateOrganization)',
];

async function opened(wanted?: object) {
  const booted = await fresh(wanted);
  const listener = await listen(booted.understudy, { ...DEFAULTS, port: 0 });
  const call = async (message: object, transport = grpcTo(listener.url)) => {
    const headers = { authorization: `Bearer ${booted.token}` };
    const method = CREATE as typeof CREATE & { methodKind: 'unary' };
    try {
      return await transport.unary(method, undefined, undefined, headers, message as never);
    } finally {
      await listener.stop(0);
    }
  };
  const entry = async () => (await booted.control.get('/requests?limit=1').expect(200)).body.requests[0];
  return { ...booted, url: listener.url, call, entry };
}

describe('a field that only the caller knows', () => {
  it.each([
    ['gRPC', grpcTo],
    ['gRPC-Web', (baseUrl: string) => createGrpcWebTransport({ baseUrl, httpVersion: '1.1' })],
    [
      'Connect',
      (baseUrl: string) => createConnectTransport({ baseUrl, httpVersion: '1.1', useBinaryFormat: true }),
    ],
  ])('is dropped with a warning that names its message and number: %s', async (_, transportTo) => {
    const { call, url, entry, api } = await opened();

    const { header } = await call(newerMessage(), transportTo(url));

    expect(header.get('understudy-warnings')).toBe(`unknown: ${TOLD.join(', ')}`);
    expect((await entry()).validation.unknown).toEqual(TOLD);
    const { body } = await api.get('/api/v1/organizations?page_size=1').expect(200);
    expect(body.organizations[0].display_name).toBe('Newer');
  });

  it('is refused where unknown fields are', async () => {
    const { call, api } = await opened({ strict: true });

    const refused = (await call(newerMessage()).catch((thrown: unknown) => thrown)) as ConnectError;

    expect(refused.code).toBe(Code.InvalidArgument);
    const { body } = await api.get('/api/v1/organizations?page_size=1').expect(200);
    expect(body.organizations[0].display_name).not.toBe('Newer');
  });

  it('is told once, and of very many the first hundred', async () => {
    const { call, entry } = await opened();
    const repeated = Array.from({ length: 50_000 }, () => 7);
    const many = Array.from({ length: 50_000 }, (_, index) => 1000 + index);

    await call(newerMessage(repeated, many));

    const told = (await entry()).validation.unknown as string[];
    expect(told[0]).toContain('7 (field 7');
    expect(told).toHaveLength(100);
  });

  it('is not told of a message without one', async () => {
    const { call } = await opened();

    const { header } = await call(newerMessage([], []));

    expect(header.has('understudy-warnings')).toBe(false);
  });
});
