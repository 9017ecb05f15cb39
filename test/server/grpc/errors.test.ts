import { create, type DescMethod } from '@bufbuild/protobuf';
import { Code, ConnectError } from '@connectrpc/connect';
import { describe, expect, it } from 'vitest';
import { shortMessage } from '../../../src/server/grpc/status.ts';
import { boot, type Booted } from '../../support/boot.ts';
import { setPasswordless } from '../../support/passwordless.ts';
import { dialHttp2 } from '../../support/port.ts';
import { callRaw, framed } from './raw.ts';
import { callRpc, grpcTo, METHODS, openFor, told } from './support.ts';

const GET = METHODS.get('OrganizationService_GetOrganization')!;
const CREATE = METHODS.get('OrganizationService_CreateOrganization')!;
const CREATE_ROLE = METHODS.get('RolesService_CreateRole')!;
const EXECUTE = METHODS.get('ToolService_ExecuteTool')!;
const ACME = { identities: { case: 'id', value: 'org_10000000000000001' } };
const PATH = '/scalekit.v1.organizations.OrganizationService/GetOrganization';

async function opened(booted: Booted) {
  const url = await openFor(booted.understudy);
  const transport = grpcTo(url);
  const authorization = `Bearer ${booted.token}`;
  return {
    url,
    call: (method: DescMethod, fields: object, headers: Record<string, string> = { authorization }) =>
      callRpc(transport, method, create(method.input, fields as never), headers),
  };
}

const failure = (code: Code, message: string, errorCode: string, more: object = {}) => ({
  code,
  message,
  infos: [expect.objectContaining({ errorCode, ...more })],
});

describe('an answer that a scenario loses', () => {
  it('is UNAVAILABLE over gRPC, and the organization is there', async () => {
    const booted = await boot();
    const { call } = await opened(booted);
    await booted.control.post('/scenarios').send({ name: 'answer-lost' }).expect(201);
    const organization = { organization: { displayName: 'Twice', externalId: 'crm-twice' } };

    const heard = told((await call(CREATE, organization)) as ConnectError);
    const again = told((await call(CREATE, organization)) as ConnectError);

    expect([heard.code, again.code]).toEqual([Code.Unavailable, Code.InvalidArgument]);
    await booted.api.get('/api/v1/organizations:external/crm-twice').expect(200);
  });
});

describe('an error over gRPC', () => {
  it.each([
    ['no token', {}, 'Token empty'],
    ['an unknown token', { authorization: 'Bearer nothing' }, 'token is malformed or was not issued here'],
  ])('is UNAUTHENTICATED for %s', async (_, headers, message) => {
    const { call } = await opened(await boot());
    const heard = await call(GET, ACME, headers);
    expect(told(heard as ConnectError)).toEqual(failure(Code.Unauthenticated, message, 'UNAUTHENTICATED'));
  });

  it('is ALREADY_EXISTS for a taken name, and INVALID_ARGUMENT with older-conflicts', async () => {
    const booted = await boot();
    const { call } = await opened(booted);
    const role = { role: { name: 'admin', displayName: 'Again' } };

    const heard = told((await call(CREATE_ROLE, role)) as ConnectError);
    await booted.control.post('/scenarios').send({ name: 'older-conflicts' }).expect(201);
    const older = told((await call(CREATE_ROLE, role)) as ConnectError);

    const message = 'duplicate key not allowed';
    expect(heard).toEqual(failure(Code.AlreadyExists, message, 'ROLE_KEYNAME_CONFLICT'));
    expect(older).toEqual(failure(Code.InvalidArgument, message, 'INVALID_ARGUMENT'));
  });

  it('lists every field violation', async () => {
    const { call } = await opened(await boot());
    const heard = await call(CREATE, { organization: { displayName: '' } });
    const { infos } = told(heard as ConnectError);
    expect(infos[0]?.validationErrorInfo?.fieldViolations).toMatchObject([
      { field: 'organization.display_name', constraint: 'string.min_len' },
    ]);
  });

  it('names the rule, and not the type, of a number that its enum lacks', async () => {
    const { call } = await opened(await boot());
    const mail = { email: 'ada@acme.example', template: 9 };
    const heard = await call(METHODS.get('PasswordlessService_SendPasswordlessEmail')!, mail);
    const { infos } = told(heard as ConnectError);
    expect(infos[0]?.validationErrorInfo?.fieldViolations).toMatchObject([
      { field: 'template', constraint: 'enum.defined_only' },
    ]);
  });

  it('names the missing page of a passwordless link', async () => {
    const booted = await boot();
    await setPasswordless(booted, { type: 'LINK' });
    const { call } = await opened(booted);
    const heard = await call(METHODS.get('PasswordlessService_SendPasswordlessEmail')!, {
      email: 'ada@acme.example',
    });
    const description = 'magiclink_auth_uri is required';
    const fieldViolations = [
      expect.objectContaining({ field: 'magiclink_auth_uri', description, constraint: 'required' }),
    ];
    expect(told(heard as ConnectError)).toEqual(
      failure(Code.InvalidArgument, description, 'INVALID_ARGUMENT', {
        validationErrorInfo: expect.objectContaining({ fieldViolations }),
      }),
    );
  });

  it('reports a missing identity as a missing field', async () => {
    const { call } = await opened(await boot());
    const { code, infos } = told((await call(GET, {})) as ConnectError);
    expect([code, infos[0]?.validationErrorInfo?.fieldViolations[0]?.field]).toEqual([
      Code.InvalidArgument,
      'id',
    ]);
  });

  it('has the code that a rule sets: 429 is RESOURCE_EXHAUSTED', async () => {
    const booted = await boot();
    await booted.control.post('/scenarios').send({ name: 'rate-limit-once' }).expect(201);
    const { call } = await opened(booted);
    const heard = (await call(GET, ACME)) as ConnectError;
    expect(told(heard)).toEqual(failure(Code.ResourceExhausted, expect.any(String) as never, 'RATE_LIMITED'));
    expect(heard.metadata.get('retry-after')).toBe('2');
    expect(await call(GET, ACME)).not.toBeInstanceOf(ConnectError);
  });

  it('of a tool has the code of the tool', async () => {
    const booted = await boot();
    const reply = {
      error: 'tool_error',
      grpc: 'RESOURCE_EXHAUSTED',
      tool: { code: 'QUOTA', message: 'enough' },
    };
    const rules = [{ on: 'ToolService_ExecuteTool', reply }];
    await booted.control.post('/scenarios').send({ name: 'quota', rules }).expect(201);
    const { call } = await opened(booted);
    const heard = await call(EXECUTE, { toolName: 'gmail_fetch_mails' });
    const toolErrorInfo = expect.objectContaining({ toolErrorCode: 'QUOTA', toolErrorMessage: 'enough' });
    expect(told(heard as ConnectError)).toEqual(
      failure(Code.ResourceExhausted, 'enough', 'TOOL_ERROR', { toolErrorInfo }),
    );
  });

  it('replaces half a surrogate pair in its message', () => {
    expect(shortMessage('half a letter: \ud800')).toBe('half a letter: \ufffd');
  });

  it('skips invalid details of a scripted reply', async () => {
    const booted = await boot({ brokenContract: true });
    const type = 'type.googleapis.com/scalekit.v1.errdetails.ErrorInfo';
    const details = ['x', null, [], { '@type': type, error_code: 7 }, { '@type': type, error_code: 'MINE' }];
    const reply = { status: 418, body: { code: 99, message: 'tea', details }, contract: 'violated' };
    await booted.control.post('/scenarios').send({ name: 'odd', rules: [{ on: '*', reply }] });
    const { call } = await opened(booted);
    const heard = told((await call(GET, ACME)) as ConnectError);
    expect(heard).toEqual(failure(Code.Unknown, 'tea', 'MINE'));
  });

  it('is INTERNAL when a scripted reply fits no message', async () => {
    const booted = await boot({ brokenContract: true });
    const reply = { status: 200, body: { organization: 7 }, contract: 'violated' };
    await booted.control
      .post('/scenarios')
      .send({ name: 'odd', rules: [{ on: 'OrganizationService_GetOrganization', reply }] });
    const { call } = await opened(booted);
    expect(told((await call(GET, ACME)) as ConnectError)).toMatchObject({
      code: Code.Internal,
      infos: [{ errorCode: 'RESPONSE_CONTRACT_VIOLATION' }],
    });
  });
});

describe('an error before any operation has details too', () => {
  it.each([
    [
      'an unknown method',
      '/scalekit.v1.organizations.OrganizationService/Nope',
      framed(Buffer.alloc(0)),
      {},
      Code.Unimplemented,
    ],
    [
      'an unknown service',
      '/scalekit.v1.nothing.NoService/Nope',
      framed(Buffer.alloc(0)),
      {},
      Code.Unimplemented,
    ],
    ['bytes that are not a message', PATH, framed(Buffer.from([0xff, 0xff, 0xff])), {}, undefined],
    ['a missing message', PATH, Buffer.alloc(0), {}, undefined],
    [
      'an unknown compression',
      PATH,
      framed(Buffer.alloc(0), 1),
      { 'grpc-encoding': 'br7' },
      Code.Unimplemented,
    ],
    ['an invalid deadline', PATH, framed(Buffer.alloc(0)), { 'grpc-timeout': 'soon' }, undefined],
  ])('for %s', async (_, path, body, headers, code) => {
    const { url } = await opened(await boot());
    const told = await callRaw(url, path, body, headers);
    expect(told.details).toEqual({
      code: told.code,
      message: told.message,
      errorCode: expect.stringMatching(/^[A-Z_]+$/),
    });
    expect(told.code).toBeGreaterThan(0);
    if (code !== undefined) expect(told.code).toBe(code);
  });

  it('equal to its trailers', async () => {
    const { url } = await opened(await boot());
    const { code, message, details } = await callRaw(url, PATH, framed(Buffer.alloc(0)));
    expect(details).toEqual({ code, message, errorCode: 'UNAUTHENTICATED' });
  });

  it('for a deadline that passes while a scenario delays the response', async () => {
    const booted = await boot();
    await booted.control
      .post('/scenarios')
      .send({ name: 'slow', rules: [{ on: '*', fault: { delay: '1h' } }] });
    const { url } = await opened(booted);
    const headers = { 'grpc-timeout': '100m', authorization: `Bearer ${booted.token}` };
    const { code, details } = await callRaw(url, PATH, framed(Buffer.alloc(0)), headers);
    expect(details).toMatchObject({ code, errorCode: 'DEADLINE_EXCEEDED' });
    expect(code).toBe(Code.DeadlineExceeded);
  });
});

describe('a connection fault over gRPC', () => {
  it.each([
    { disconnect: 'before' },
    { disconnect: 'reset' },
    { disconnect: 'middle' },
    { truncate: 3 },
    { garbage: true },
  ])('%j fails the call, but not the next one', async (fault) => {
    const booted = await boot();
    const rules = [{ on: 'OrganizationService_GetOrganization', times: 1, fault }];
    await booted.control.post('/scenarios').send({ name: 'broken', rules }).expect(201);
    const { call } = await opened(booted);
    expect(await call(GET, ACME)).toBeInstanceOf(ConnectError);
    expect(await call(GET, ACME)).not.toBeInstanceOf(ConnectError);
  });

  it('closes the connection, because some clients retry only then', async () => {
    const booted = await boot();
    const rules = [{ on: '*', times: 1, fault: { disconnect: 'before' } }];
    await booted.control.post('/scenarios').send({ name: 'broken', rules }).expect(201);
    const { url } = await opened(booted);
    const session = dialHttp2(url);
    const head = { ':method': 'POST', ':path': PATH, 'content-type': 'application/grpc' };
    const stream = session.request({ ...head, authorization: `Bearer ${booted.token}` });
    stream.on('error', () => {}).end(framed(Buffer.alloc(0)));
    await new Promise((resolve) => session.once('close', resolve));
    expect(stream.closed).toBe(true);
  });

  it('has no effect when it truncates at more bytes than the response has', async () => {
    const booted = await boot();
    const rules = [{ on: '*', times: 1, fault: { truncate: 100_000 } }];
    await booted.control.post('/scenarios').send({ name: 'broken', rules }).expect(201);
    const { call } = await opened(booted);
    expect(await call(GET, ACME)).not.toBeInstanceOf(ConnectError);
  });

  it('with dribble delays the response and keeps it whole', async () => {
    const booted = await boot();
    const rules = [{ on: '*', fault: { dribble: { chunks: 2, over: '1ms' } } }];
    await booted.control.post('/scenarios').send({ name: 'slow', rules }).expect(201);
    const { call } = await opened(booted);
    expect(await call(GET, ACME)).toMatchObject({ organization: { id: ACME.identities.value } });
  });
});
