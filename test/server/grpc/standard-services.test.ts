import {
  create,
  fromBinary,
  type DescMethodBiDiStreaming,
  type DescMethodServerStreaming,
  type DescMethodUnary,
} from '@bufbuild/protobuf';
import { FileDescriptorProtoSchema, type FileDescriptorProto } from '@bufbuild/protobuf/wkt';
import { Code, ConnectError } from '@connectrpc/connect';
import { describe, expect, it } from 'vitest';
import { listen } from '../../../src/server/port/listener.ts';
import { REGISTRY, SERVICE_NAMES } from '../../../src/server/grpc/services.ts';
import { boot } from '../../support/boot.ts';
import { grpcTo, openFor } from './support.ts';

const HEALTH = REGISTRY.getService('grpc.health.v1.Health')!;
const VERSIONS = ['v1', 'v1alpha'] as const;

interface Reflected {
  messageResponse: { case: string; value: Record<string, unknown> };
}

/** Asks the reflection service, one question after the other on one stream. */
async function reflect(
  url: string,
  version: (typeof VERSIONS)[number],
  ...asked: [name: string, value: unknown][]
): Promise<Reflected['messageResponse'][]> {
  const method = REGISTRY.getService(`grpc.reflection.${version}.ServerReflection`)!.methods[0]!;
  const questions = asked.map(([name, value]) =>
    create(method.input, { messageRequest: { case: name, value } } as never),
  );
  const answer = await grpcTo(url).stream(
    method as DescMethodBiDiStreaming,
    undefined,
    undefined,
    {},
    (async function* () {
      yield* questions as never[];
    })(),
  );
  const heard: Reflected['messageResponse'][] = [];
  for await (const each of answer.message) heard.push((each as unknown as Reflected).messageResponse);
  return heard;
}

async function check(url: string, service: string): Promise<unknown> {
  const { message } = await grpcTo(url).unary(
    HEALTH.method['check'] as DescMethodUnary,
    undefined,
    undefined,
    {},
    { service } as never,
  );
  return (message as unknown as { status: number }).status;
}

const filesOf = ({ value }: Reflected['messageResponse']) =>
  (value['fileDescriptorProto'] as Uint8Array[]).map((bytes) => fromBinary(FileDescriptorProtoSchema, bytes));

describe.each(VERSIONS)('reflection %s', (version) => {
  it('lists all services, without a token', async () => {
    const url = await openFor((await boot()).understudy);

    const [answer] = await reflect(url, version, ['listServices', '']);

    const names = (answer!.value['service'] as { name: string }[]).map(({ name }) => name);
    expect(names).toEqual(SERVICE_NAMES);
    expect(names).toEqual(
      expect.arrayContaining([
        'scalekit.v1.organizations.OrganizationService',
        'grpc.health.v1.Health',
        `grpc.reflection.${version}.ServerReflection`,
      ]),
    );
  });

  it('answers every service with files that describe it whole', async () => {
    const url = await openFor((await boot()).understudy);

    const answers = await reflect(
      url,
      version,
      ...SERVICE_NAMES.map((name): [string, string] => ['fileContainingSymbol', name]),
    );

    answers.forEach((answer, i) => {
      const files = filesOf(answer);
      const known = new Set(files.map(({ name }) => name));
      const [{ service, package: scope }] = files as [FileDescriptorProto];
      expect(service.map(({ name }) => `${scope}.${name}`)).toContain(SERVICE_NAMES[i]);
      expect(files.flatMap(({ dependency }) => dependency).filter((name) => !known.has(name))).toEqual([]);
    });
  });

  it('finds files by name and by what is inside', async () => {
    const url = await openFor((await boot()).understudy);
    const organizations = 'scalekit/v1/organizations/organizations.proto';
    const scope = 'scalekit.v1.organizations';
    const asked: [string, string][] = [
      ['fileByFilename', organizations],
      ['fileContainingSymbol', `${scope}.OrganizationService.GetOrganization`],
      ['fileContainingSymbol', `${scope}.Organization.display_name`],
      ['fileContainingSymbol', `${scope}.FEATURE_UNSPECIFIED`],
    ];

    const answers = await reflect(url, version, ...asked);

    expect(answers.map((answer) => filesOf(answer)[0]!.name)).toEqual(asked.map(() => organizations));
  });

  it('says what it does not know', async () => {
    const url = await openFor((await boot()).understudy);

    const answers = await reflect(
      url,
      version,
      ['fileByFilename', 'none.proto'],
      ['fileContainingSymbol', 'scalekit.v1.organizations.OrganizationService.None'],
      ['fileContainingExtension', { containingType: 'scalekit.v1.users.User', extensionNumber: 1 }],
      ['allExtensionNumbersOfType', 'scalekit.v1.users.User'],
    );

    expect(answers.map((answer) => [answer.case, answer.value['errorCode']])).toEqual([
      ['errorResponse', Code.NotFound],
      ['errorResponse', Code.NotFound],
      ['errorResponse', Code.NotFound],
      ['allExtensionNumbersResponse', undefined],
    ]);
    const nothing = await reflect(url, version, ['none', '']).catch((thrown: unknown) => thrown);
    expect((nothing as ConnectError).code).toBe(Code.InvalidArgument);
  });
});

describe('the descriptors obey the rules of protoc, which clients of reflection check', () => {
  const messages = [...REGISTRY].filter((each) => each.kind === 'message');

  it('each file imports what it uses, from files that come before', () => {
    const before = new Set<string>();
    for (const { proto, messages: own } of REGISTRY.files) {
      const used = own.flatMap(({ fields }) => fields.flatMap((field) => field.message ?? field.enum ?? []));
      const homes = new Set(used.map(({ file }) => file.proto.name));
      homes.delete(proto.name);
      expect(proto.dependency).toEqual(expect.arrayContaining([...homes]));
      expect(proto.dependency.filter((name) => !before.has(name))).toEqual([]);
      before.add(proto.name);
    }
  });

  it('only an enum that says so has two names for one number', () => {
    const enums = [...REGISTRY.files].flatMap(({ enums: own }) => own);
    const nested = messages.flatMap(({ nestedEnums }) => nestedEnums);
    const withAliases = [...enums, ...nested].filter(
      ({ proto }) => new Set(proto.value.map(({ number }) => number)).size < proto.value.length,
    );
    expect(withAliases.map(({ typeName, proto }) => [typeName, proto.options?.allowAlias])).toEqual([
      ['scalekit.v1.organizations.Feature', true],
    ]);
  });

  it('the oneof of an optional field comes after the others, and the type of a map has the name of its field', () => {
    for (const { typeName: name, proto } of messages) {
      const synthetic = proto.field.filter(({ proto3Optional }) => proto3Optional);
      const first = proto.oneofDecl.length - synthetic.length;
      expect([name, ...synthetic.filter(({ oneofIndex }) => oneofIndex < first)]).toEqual([name]);
      const entries = proto.nestedType.filter(({ options }) => options?.mapEntry).map((each) => each.name);
      const maps = proto.field.map((field) => [field.name, field.typeName.split('.').at(-1)!] as const);
      for (const [field, type] of maps.filter((each) => entries.includes(each[1])))
        expect([name, type.toLowerCase()]).toEqual([name, `${field.replaceAll('_', '').toLowerCase()}entry`]);
    }
  });
});

describe('health', () => {
  it('is good for the process and for each service, and not found for another', async () => {
    const url = await openFor((await boot()).understudy);

    expect(await Promise.all(['', ...SERVICE_NAMES].map((name) => check(url, name)))).toEqual(
      ['', ...SERVICE_NAMES].map(() => 1),
    );
    const none = await check(url, 'scalekit.v1.None').catch((thrown: unknown) => thrown);
    expect(ConnectError.from(none).code).toBe(Code.NotFound);
  });

  it('is told by Connect too', async () => {
    const url = await openFor((await boot()).understudy);

    const heard = await fetch(`${url}/grpc.health.v1.Health/Check`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{}',
    });

    expect(await heard.json()).toEqual({ status: 'SERVING' });
  });

  it('is watched until the process stops, which need not wait for the watcher', async () => {
    const { understudy } = await boot();
    const listener = await listen(understudy, { host: '127.0.0.1', port: 0 });
    const answer = await grpcTo(listener.url).stream(
      HEALTH.method['watch'] as DescMethodServerStreaming,
      undefined,
      undefined,
      {},
      (async function* () {
        yield { service: '' } as never;
      })(),
    );
    const told: number[] = [];
    let stopped: Promise<void> | undefined;

    for await (const each of answer.message) {
      told.push((each as unknown as { status: number }).status);
      stopped ??= listener.stop(3_600_000);
    }
    await stopped;

    expect(told).toEqual([1, 2]);
  });
});
