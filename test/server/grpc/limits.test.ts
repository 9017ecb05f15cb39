import { create, toBinary } from '@bufbuild/protobuf';
import { describe, expect, it } from 'vitest';
import { boot } from '../../support/boot.ts';
import { callRaw, framed } from './raw.ts';
import { METHODS, openFor } from './support.ts';

const PATH = '/scalekit.v1.organizations.OrganizationService/GetOrganization';
const GET = METHODS.get('OrganizationService_GetOrganization')!;
const UNKNOWN = toBinary(
  GET.input,
  create(GET.input, { identities: { case: 'id', value: 'org_99999999999999999' } } as never),
);

const members = (value: unknown) =>
  Object.fromEntries(Array.from({ length: 10_001 }, (_, n) => [`n${n}`, value]));

describe('an RPC', () => {
  it('with 400 entries of metadata is answered', async () => {
    const { understudy, token } = await boot();
    const url = await openFor(understudy);
    const metadata = Object.fromEntries(Array.from({ length: 400 }, (_, n) => [`x-entry-${n}`, 'v']));

    const heard = await callRaw(url, PATH, framed(UNKNOWN), {
      authorization: `Bearer ${token}`,
      ...metadata,
    });

    expect([heard.code, heard.details.errorCode]).toEqual([5, 'RESOURCE_NOT_FOUND']);
  });

  it.each([
    [
      'a map',
      'OrganizationService_CreateOrganization',
      { organization: { displayName: 'Maps', metadata: members('x') } },
    ],
    ['a Struct', 'ToolService_ExecuteTool', { toolName: 'x', params: members(true) }],
  ])('with too many entries is refused before it is decoded: %s', async (_what, name, message) => {
    const { understudy, token } = await boot();
    const method = METHODS.get(name)!;
    const whole = toBinary(method.input, create(method.input, message as never));
    const cutOff = Buffer.concat([whole, Buffer.from([0x0a, 0x7f])]);

    const path = `/${method.parent.typeName}/${method.name}`;
    const heard = await callRaw(await openFor(understudy), path, framed(cutOff), {
      authorization: `Bearer ${token}`,
    });

    expect([heard.code, heard.message]).toEqual([
      3,
      'the request body has an object with more than 10000 members',
    ]);
  });

  it('of gRPC-Web in base64 is told which type to send', async () => {
    const { understudy } = await boot();
    const url = await openFor(understudy);

    const heard = await fetch(`${url}${PATH}`, {
      method: 'POST',
      headers: { 'content-type': 'application/grpc-web-text' },
      body: framed(UNKNOWN).toString('base64'),
    });

    expect(heard.status).toBe(415);
    expect(heard.headers.get('grpc-status')).toBe('12');
    expect(await heard.json()).toMatchObject({
      message: expect.stringContaining('application/grpc-web+proto'),
    });
  });
});
