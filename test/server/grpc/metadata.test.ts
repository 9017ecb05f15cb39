import { create } from '@bufbuild/protobuf';
import { Code, type ConnectError, type Transport } from '@connectrpc/connect';
import { createGrpcTransport } from '@connectrpc/connect-node';
import { describe, expect, it } from 'vitest';
import { boot } from '../../support/boot.ts';
import { callRpc, METHODS, openFor } from './support.ts';

const GET = METHODS.get('OrganizationService_GetOrganization')!;
const ACME = create(GET.input, { identities: { case: 'id', value: 'org_10000000000000001' } } as never);

describe('headers of a scripted reply, as metadata of an RPC', () => {
  it.each<[string, boolean]>([
    ['plain', true],
    ['JSON', false],
  ])('are sent, except those that gRPC and HTTP/2 reserve: %s', async (_, binary) => {
    const booted = await boot();
    const headers = {
      'x-mine': 'yes',
      te: 'gzip',
      upgrade: 'h2c',
      'keep-alive': 'timeout=1',
      'content-type': 'text/plain',
      'grpc-status': '0',
      'grpc-encoding': 'gzip',
    };
    const reply = { error: 'unavailable', headers };
    await booted.control
      .post('/scenarios')
      .send({ name: 'odd', rules: [{ on: '*', reply }] })
      .expect(201);
    const baseUrl = await openFor(booted.understudy);
    const transport: Transport = createGrpcTransport({ baseUrl, useBinaryFormat: binary });

    const heard = await callRpc(transport, GET, ACME, { authorization: `Bearer ${booted.token}` });

    const { code, metadata } = heard as ConnectError;
    expect([code, metadata.get('x-mine')]).toEqual([Code.Unavailable, 'yes']);
    expect(['upgrade', 'keep-alive'].filter((name) => metadata.has(name))).toEqual([]);
  });
});
