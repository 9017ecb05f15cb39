import { create, toBinary } from '@bufbuild/protobuf';
import { Code, ConnectError, type Transport } from '@connectrpc/connect';
import {
  createConnectTransport,
  createGrpcTransport,
  createGrpcWebTransport,
} from '@connectrpc/connect-node';
import { describe, expect, it } from 'vitest';
import { gzipSync } from 'node:zlib';
import { boot } from '../../support/boot.ts';
import { callRpc, grpcTo, METHODS, openFor, told } from './support.ts';
import { callRaw, framed } from './raw.ts';

const GET = METHODS.get('OrganizationService_GetOrganization')!;
const CREATE = METHODS.get('OrganizationService_CreateOrganization')!;
const UPDATE = METHODS.get('OrganizationService_UpdateOrganization')!;
const EXECUTE = METHODS.get('ToolService_ExecuteTool')!;
const TOKEN = METHODS.get('ApiTokenService_CreateToken')!;
const PATH = '/scalekit.v1.organizations.OrganizationService/GetOrganization';
const ACME = { identities: { case: 'id', value: 'org_10000000000000001' } };
const WHOLE = framed(toBinary(GET.input, create(GET.input, ACME as never)));

async function opened() {
  const booted = await boot();
  const url = await openFor(booted.understudy);
  const authorization = `Bearer ${booted.token}`;
  const lastEntry = async () => (await booted.control.get('/requests?limit=1').expect(200)).body.requests[0];
  return { ...booted, url, authorization, lastEntry };
}

describe('an unreadable gRPC call', () => {
  it.each<[string, Buffer, Code]>([
    ['bytes that are not a message', framed(Buffer.from([0xff, 0xff, 0xff])), Code.InvalidArgument],
    ['text that is not UTF-8', framed(Buffer.from([0x0a, 2, 0xc3, 0x28])), Code.InvalidArgument],
    ['half a message', WHOLE.subarray(0, 10), Code.InvalidArgument],
    ['half a length prefix', WHOLE.subarray(0, 3), Code.InvalidArgument],
    ['two messages', Buffer.concat([WHOLE, WHOLE]), Code.InvalidArgument],
    ['a missing message', Buffer.alloc(0), Code.Unimplemented],
    ['a message larger than 1 MB', framed(Buffer.alloc(1_000_001)), Code.ResourceExhausted],
  ])('is refused and is in the journal: %s', async (_, body, code) => {
    const { url, authorization, lastEntry } = await opened();
    const heard = await callRaw(url, PATH, body, { authorization });
    expect(heard.code).toBe(code);
    expect(heard.details).toMatchObject({ code, message: heard.message });
    expect(await lastEntry()).toMatchObject({
      id: heard.requestId,
      protocol: 'grpc',
      operation: 'OrganizationService_GetOrganization',
    });
  });

  it('is refused for its missing token first', async () => {
    const { url } = await opened();
    const { code } = await callRaw(url, PATH, framed(Buffer.from([0xff])));
    expect(code).toBe(Code.Unauthenticated);
  });

  it('has the same size limit for compressed messages, after decompression', async () => {
    const { url, authorization } = await opened();
    const bomb = framed(gzipSync(Buffer.alloc(2_000_000)), 1);
    const { code } = await callRaw(url, PATH, bomb, { authorization, 'grpc-encoding': 'gzip' });
    expect(code).toBe(Code.ResourceExhausted);
  });
});

describe('a value in JSON that cannot be read', () => {
  const body = JSON.stringify({ client: { access_token_expiry: 'long '.repeat(80_000) } });
  const path = '/scalekit.v1.clients.ClientService/CreateClient';

  it('is not repeated whole: Connect', async () => {
    const { url, authorization } = await opened();
    const headers = { authorization, 'content-type': 'application/json', 'connect-protocol-version': '1' };
    const answer = await fetch(url + path, { method: 'POST', headers, body });
    const text = await answer.text();
    expect(answer.status).toBe(400);
    expect(JSON.parse(text)).toMatchObject({
      code: 'invalid_argument',
      message: expect.stringMatching(/^cannot decode field .*access_token_expiry.*…$/),
    });
    expect(text.length).toBeLessThan(20_000);
  });

  it('is not repeated whole: gRPC-Web', async () => {
    const { url, authorization } = await opened();
    const headers = { authorization, 'content-type': 'application/grpc-web+json' };
    const answer = await fetch(url + path, {
      method: 'POST',
      headers,
      body: new Uint8Array(framed(Buffer.from(body))),
    });
    const text = await answer.text();
    expect(text).toContain('grpc-status: 3');
    expect(text).toContain('cannot%20decode%20field');
    expect(text.length).toBeLessThan(20_000);
  });
});

describe('a value that JSON cannot represent', () => {
  const number = { kind: { case: 'numberValue', value: NaN } };
  it.each<[string, typeof GET, object]>([
    ['NaN', EXECUTE, { toolName: 'a', params: { fields: { x: number } } }],
    ['a time after the year 9999', TOKEN, { token: { expiry: { seconds: 253402300800n } } }],
    ['negative nanoseconds', TOKEN, { token: { expiry: { seconds: 0n, nanos: -1 } } }],
    ['an invalid field mask path', UPDATE, { ...ACME, organization: {}, updateMask: { paths: ['a_1'] } }],
  ])('is an invalid argument: %s', async (_, method, fields) => {
    const { url, authorization, lastEntry } = await opened();
    const bytes = Buffer.from(toBinary(method.input, messageOf(method, fields)));
    const path = `/${method.parent.typeName}/${method.name}`;
    const heard = await callRaw(url, path, framed(bytes), { authorization });
    expect([heard.code, heard.details.errorCode]).toEqual([Code.InvalidArgument, 'INVALID_ARGUMENT']);
    expect(heard.message).toContain(method.input.typeName);
    expect(await lastEntry()).toMatchObject({ id: heard.requestId, status: 400 });
  });
});

describe('an unknown gRPC method', () => {
  it.each<[string, (baseUrl: string) => Transport]>([
    ['grpc', (baseUrl) => createGrpcTransport({ baseUrl })],
    ['grpc-web', (baseUrl) => createGrpcWebTransport({ baseUrl, httpVersion: '1.1' })],
    ['connect', (baseUrl) => createConnectTransport({ baseUrl, httpVersion: '2' })],
  ])('is UNIMPLEMENTED over %s, and is in the journal', async (protocol, transportTo) => {
    const { url, authorization, lastEntry } = await opened();
    const method = { ...GET, name: 'GetNobody' } as typeof GET;
    const heard = await callRpc(transportTo(url), method, create(GET.input), { authorization });
    expect(heard).toBeInstanceOf(ConnectError);
    expect((heard as ConnectError).code).toBe(Code.Unimplemented);
    expect(await lastEntry()).toMatchObject({
      protocol,
      status: 404,
      path: PATH.replace(/\w+$/, 'GetNobody'),
    });
  });

  it('is never a REST operation', async () => {
    const { url, authorization, lastEntry } = await opened();
    const { code } = await callRaw(url, '/oauth/token', WHOLE, { authorization });
    expect(code).toBe(Code.Unimplemented);
    expect(await lastEntry()).toMatchObject({ operation: 'OAuth_Token', status: 200 }); // the token request of this test
  });
});

describe('a large gRPC error', () => {
  const tooMany = Object.fromEntries(
    Array.from({ length: 300 }, (_, n) => [`${n}`.repeat(40), 'x'.repeat(900)]),
  );

  it('fits into the trailers that clients accept', async () => {
    const { url, authorization } = await opened();
    const message = messageOf(CREATE, { organization: { displayName: '', metadata: tooMany } });
    const heard = await callRaw(
      url,
      PATH.replace(/\w+$/, 'CreateOrganization'),
      framed(toBinary(CREATE.input, message)),
      {
        authorization,
      },
    );
    expect(heard.code).toBe(Code.InvalidArgument);
    expect(heard.details).toMatchObject({ code: heard.code, message: heard.message });
    expect(heard.size).toBeLessThan(8192);
  });

  it.each(['a'.repeat(70_000), '☃'.repeat(70_000), '%'.repeat(9000)])(
    'has a truncated message',
    async (text) => {
      const { url, authorization, token, control } = await opened();
      const reply = { error: 'tool_error', message: text, tool: { code: 'A', message: text } };
      await control
        .post('/scenarios')
        .send({ name: 'long', rules: [{ on: '*', reply }] })
        .expect(201);
      const heard = await callRaw(url, PATH, WHOLE, { authorization });
      expect(heard.size).toBeLessThan(8192);
      expect(heard.details).toMatchObject({
        code: Code.Internal,
        message: heard.message,
        errorCode: 'TOOL_ERROR',
      });
      expect(text.startsWith(heard.message.replace('…', ''))).toBe(true);
      expect(heard.message.length).toBeGreaterThan(100);
      const again = await callRpc(grpcTo(url), GET, create(GET.input, ACME as never), {
        authorization: `Bearer ${token}`,
      });
      expect(told(again as ConnectError).infos[0]?.toolErrorInfo?.toolErrorCode).toBe('A');
    },
  );
});

/** Without validation, as if read from the wire. */
const messageOf = (method: typeof GET, fields: object) => create(method.input, fields as never);
