import { request as sendRequest, type IncomingMessage } from 'node:http';
import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { ConnectError, type Transport } from '@connectrpc/connect';
import {
  createConnectTransport,
  createGrpcTransport,
  createGrpcWebTransport,
} from '@connectrpc/connect-node';
import { ErrorInfoSchema } from '@scalekit-sdk/node/lib/pkg/grpc/scalekit/v1/errdetails/errdetails_pb.js';
import { describe, expect, it } from 'vitest';
import { boot, type Booted } from '../../support/boot.ts';
import { dial } from '../../support/port.ts';
import { callRpc, grpcTo, METHODS, openFor } from './support.ts';

const GET = METHODS.get('OrganizationService_GetOrganization')!;
const LIST = METHODS.get('OrganizationService_ListOrganization')!;
const ID = 'org_10000000000000001';
const ACME = create(GET.input, { identities: { case: 'id', value: ID } } as never);
const PATH = '/scalekit.v1.organizations.OrganizationService/GetOrganization';

/** Sends a gRPC message over HTTP/1.1, as connect-go does over plain http. */
async function framed(url: string, headers: string[]) {
  const bytes = toBinary(GET.input, ACME);
  const head = Buffer.alloc(5);
  head.writeUInt32BE(bytes.length, 1);
  const own = ['host', new URL(url).host, 'content-type', 'application/grpc', 'te', 'trailers'];
  const chunked = ['transfer-encoding', 'chunked'];
  const inner = sendRequest(`${url}${PATH}`, {
    method: 'POST',
    headers: [...own, ...chunked, ...headers] as never,
  });
  inner.end(Buffer.concat([head, bytes]));
  const answer = await new Promise<IncomingMessage>((resolve) => inner.once('response', resolve));
  const chunks: Buffer[] = [];
  for await (const chunk of answer) chunks.push(chunk as Buffer);
  return { headers: answer.headers, trailers: answer.trailers, body: Buffer.concat(chunks) };
}

const bearer = ({ token }: Booted) => ({ authorization: `Bearer ${token}` });

const protocolsIn = async ({ control }: Booted) => {
  const { body } = await control.get('/requests').expect(200);
  return body.requests.map(({ protocol }: { protocol: string }) => protocol);
};

describe('an RPC', () => {
  it.each<[string, (baseUrl: string) => Transport, string]>([
    ['gRPC', (baseUrl) => createGrpcTransport({ baseUrl }), 'grpc'],
    ['gRPC in JSON', (baseUrl) => createGrpcTransport({ baseUrl, useBinaryFormat: false }), 'grpc'],
    [
      'gRPC-Web over HTTP/1.1',
      (baseUrl) => createGrpcWebTransport({ baseUrl, httpVersion: '1.1' }),
      'grpc-web',
    ],
    ['gRPC-Web over HTTP/2', (baseUrl) => createGrpcWebTransport({ baseUrl, httpVersion: '2' }), 'grpc-web'],
    [
      'Connect over HTTP/1.1',
      (baseUrl) => createConnectTransport({ baseUrl, httpVersion: '1.1' }),
      'connect',
    ],
    ['Connect over HTTP/2', (baseUrl) => createConnectTransport({ baseUrl, httpVersion: '2' }), 'connect'],
  ])('works over %s, and the journal has the protocol', async (_, transportTo, protocol) => {
    const booted = await boot();
    const transport = transportTo(await openFor(booted.understudy));
    const heard = await callRpc(transport, GET, ACME, bearer(booted));
    expect(heard).toMatchObject({ organization: { id: ID } });
    expect(await protocolsIn(booted)).toContain(protocol);
    const missing = create(GET.input, { identities: { case: 'id', value: 'org_9' } } as never);
    expect(await callRpc(transport, GET, missing, bearer(booted))).toMatchObject({
      rawMessage: 'organization org_9 not found',
    });
  });

  it('works in gRPC framing over HTTP/1.1, with announced trailers', async () => {
    const booted = await boot();
    const url = await openFor(booted.understudy);

    const { headers, trailers, body } = await framed(url, ['authorization', `Bearer ${booted.token}`]);

    expect(headers.trailer).toMatch(/grpc-status/i);
    expect(trailers['grpc-status']).toBe('0');
    expect(fromBinary(GET.output, body.subarray(5))).toMatchObject({ organization: { id: ID } });
  });

  it.each([
    ['the last one', '0', ['Bearer old', 'GOOD']],
    ['the first one', '0', ['GOOD', 'Bearer old']],
    ['none', '16', ['Bearer old', 'Bearer older']],
  ])('accepts any of several tokens: %s is valid', async (_, status, tokens) => {
    const booted = await boot();
    const url = await openFor(booted.understudy);
    const sent = tokens.flatMap((token) => [
      'authorization',
      token === 'GOOD' ? `Bearer ${booted.token}` : token,
    ]);

    const { trailers } = await framed(url, sent);

    expect(trailers['grpc-status']).toBe(status);
  });

  it('goes to the environment of its token, or of its header', async () => {
    const booted = await boot();
    const { token } = await booted.environment('elsewhere');
    await booted.control.post('/environments').send({ name: 'empty', fixture: 'empty' }).expect(201);
    const transport = grpcTo(await openFor(booted.understudy));
    const headers = { authorization: `Bearer ${token}` };
    expect(await callRpc(transport, GET, ACME, headers)).toMatchObject({ organization: { id: ID } });
    expect(
      await callRpc(transport, GET, ACME, { ...headers, 'understudy-environment': 'empty' }),
    ).toBeInstanceOf(ConnectError);
    const { body } = await booted.control.get('/environments/elsewhere/requests').expect(200);
    expect(body.requests).toMatchObject([{ operation: 'OAuth_Token' }, { protocol: 'grpc', status: 200 }]);
  });

  it('uses its own headers, whatever earlier calls on the connection had', async () => {
    const booted = await boot();
    const { token } = await booted.environment('elsewhere');
    const transport = grpcTo(await openFor(booted.understudy));
    const heard = [];
    for (const each of [booted.token, booted.token, 'x'.repeat(booted.token.length), token, booted.token])
      heard.push(await callRpc(transport, GET, ACME, { authorization: `Bearer ${each}` }));
    expect(heard.map((each) => each instanceof ConnectError)).toEqual([false, false, true, false, false]);
    const { body } = await booted.control.get('/environments/elsewhere/requests').expect(200);
    expect(body.requests).toMatchObject([{ operation: 'OAuth_Token' }, { protocol: 'grpc', status: 200 }]);
  });

  it('is refused over HTTP/1.0, which has no trailers, and the next call succeeds', async () => {
    const booted = await boot();
    const url = await openFor(booted.understudy);
    for (const type of ['application/grpc', 'application/grpc+json']) {
      const { socket, heard } = dial(Number(new URL(url).port));
      socket.write(`POST ${PATH} HTTP/1.0\r\ncontent-type: ${type}\r\ncontent-length: 0\r\n\r\n`);
      expect(await heard()).toMatch(/^HTTP\/1\.1 505 /);
    }
    const { trailers } = await framed(url, ['authorization', `Bearer ${booted.token}`]);
    expect(trailers['grpc-status']).toBe('0');
  });

  it('works for two hundred parallel callers', async () => {
    const booted = await boot();
    const url = await openFor(booted.understudy);
    const heard = await Promise.all(
      Array.from({ length: 200 }, () => callRpc(grpcTo(url), LIST, create(LIST.input), bearer(booted))),
    );
    expect(heard.filter((each) => each instanceof ConnectError)).toEqual([]);
  });
});

describe('an RPC with an external id of an organization', () => {
  it.each([
    'OrganizationService_GetOrganization',
    'OrganizationService_UpdateOrganization',
    'OrganizationService_DeleteOrganization',
    'DomainService_ListDomains',
  ])('works in %s', async (name) => {
    const booted = await boot();
    const transport = grpcTo(await openFor(booted.understudy));
    const method = METHODS.get(name)!;
    const named = (value: string) =>
      create(method.input, { identities: { case: 'externalId', value }, organization: {} } as never);
    const heard = await callRpc(transport, method, named('crm-acme'), bearer(booted));
    expect(heard).not.toBeInstanceOf(ConnectError);
    expect(await callRpc(transport, method, named('crm-nobody'), bearer(booted))).toMatchObject({
      rawMessage: 'organization crm-nobody not found',
    });
  });
});

describe('a message in the query', () => {
  const SCOPED = METHODS.get('ToolService_ListScopedTools')!;

  it.each([
    ['may be empty', { identifier: 'default', filter: {} }, undefined],
    ['is required when it is missing', { identifier: 'default' }, 'filter'],
  ])('%s', async (_, fields, missing) => {
    const booted = await boot();
    const transport = grpcTo(await openFor(booted.understudy));
    const heard = await callRpc(transport, SCOPED, create(SCOPED.input, fields as never), bearer(booted));
    const violated =
      heard instanceof ConnectError
        ? heard.findDetails(ErrorInfoSchema)[0]?.validationErrorInfo?.fieldViolations[0]?.field
        : undefined;
    expect([violated, heard instanceof ConnectError]).toEqual([missing, missing !== undefined]);
  });
});
