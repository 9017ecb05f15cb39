import { once } from 'node:events';
import { toBinary, type DescEnum, type DescFile, type DescService } from '@bufbuild/protobuf';
import { FileDescriptorProtoSchema } from '@bufbuild/protobuf/wkt';
import { Code, ConnectError, type ConnectRouter, type HandlerContext } from '@connectrpc/connect';
import { REGISTRY, SERVICE_NAMES } from './services.ts';

/**
 * Adds the services that gRPC itself defines: health, and reflection under its current name and its older one. They belong
 * to no environment, so their calls need no token and stand in no journal.
 * Unverified (grpc/reflection): whether the service has them, and takes their calls without a token.
 *
 * `draining` aborts when the process is about to stop.
 */
export function addStandardServices(router: ConnectRouter, draining: AbortSignal): void {
  addHealth(router, draining);
  const serverReflectionInfo = (questions: AsyncIterable<Question>, { signal }: HandlerContext) =>
    answersTo(questions, drained(draining, signal));
  for (const version of ['v1', 'v1alpha'])
    add(router, `grpc.reflection.${version}.ServerReflection`, { serverReflectionInfo });
}

function add(router: ConnectRouter, name: string, implementation: object): void {
  const service: DescService = REGISTRY.getService(name)!;
  router.service(service, implementation);
}

/** Resolves when `draining` aborts or the call is over, whose `signal` aborts then. */
async function drained(draining: AbortSignal, signal: AbortSignal): Promise<void> {
  if (!draining.aborted) await once(draining, 'abort', { signal }).catch(() => {});
}

/** HealthCheckResponse.ServingStatus. */
const SERVING = 1;
const NOT_SERVING = 2;
const SERVICE_UNKNOWN = 3;

interface HealthQuestion {
  /** Empty: the whole process. */
  service: string;
}

function addHealth(router: ConnectRouter, draining: AbortSignal): void {
  const statusOf = ({ service }: HealthQuestion) => {
    if (service !== '' && !SERVICE_NAMES.includes(service)) return SERVICE_UNKNOWN;
    return draining.aborted ? NOT_SERVING : SERVING;
  };
  const check = (question: HealthQuestion) => {
    const status = statusOf(question);
    if (status !== SERVICE_UNKNOWN) return { status };
    throw new ConnectError(
      `there is no service ${question.service}: the empty name stands for all`,
      Code.NotFound,
    );
  };
  const watch = async function* (question: HealthQuestion, { signal }: HandlerContext) {
    const status = statusOf(question);
    yield { status };
    await drained(draining, signal);
    signal.throwIfAborted();
    const last = statusOf(question);
    if (last !== status) yield { status: last };
  };
  add(router, 'grpc.health.v1.Health', { check, watch });
}

/** A ServerReflectionRequest. */
interface Question {
  host: string;
  messageRequest: { case?: string; value?: unknown };
}

/** The oneof of a ServerReflectionResponse. */
interface Answer {
  case: string;
  value: object;
}

/** Ends with the questions, or with `end`: tools that keep their stream open would hold up the end of this process. */
async function* answersTo(questions: AsyncIterable<Question>, end: Promise<void>) {
  const iterator = questions[Symbol.asyncIterator]();
  const last = end.then(() => ({ done: true, value: undefined }) as const);
  for (;;) {
    const { done, value } = await Promise.race([iterator.next(), last]);
    if (done) return;
    const { host, messageRequest } = value;
    yield { validHost: host, originalRequest: value, messageResponse: answerTo(messageRequest) };
  }
}

function answerTo({ case: asked, value }: Question['messageRequest']): Answer {
  const name = String(value);
  if (asked === 'listServices') return servicesAnswer();
  if (asked === 'fileByFilename') return filesAnswer(REGISTRY.getFile(name), name);
  if (asked === 'fileContainingSymbol') return filesAnswer(fileOf(name), name);
  if (asked === 'fileContainingExtension') return notFound('an extension, because there are none');
  if (asked === 'allExtensionNumbersOfType') return extensionsAnswer(name);
  throw new ConnectError('message_request is missing: set one of its fields', Code.InvalidArgument);
}

const servicesAnswer = (): Answer => ({
  case: 'listServicesResponse',
  value: { service: SERVICE_NAMES.map((name) => ({ name })) },
});

/** A file and those that it imports, because most callers need them next. */
function filesAnswer(file: DescFile | undefined, name: string): Answer {
  if (!file) return notFound(name);
  const files = new Set<DescFile>();
  const add = (each: DescFile) => {
    files.add(each);
    each.dependencies.forEach(add);
  };
  add(file);
  const fileDescriptorProto = [...files].map(({ proto }) => toBinary(FileDescriptorProtoSchema, proto));
  return { case: 'fileDescriptorResponse', value: { fileDescriptorProto } };
}

const extensionsAnswer = (baseTypeName: string): Answer =>
  REGISTRY.getMessage(baseTypeName)
    ? { case: 'allExtensionNumbersResponse', value: { baseTypeName } }
    : notFound(baseTypeName);

const notFound = (name: string): Answer => ({
  case: 'errorResponse',
  value: { errorCode: Code.NotFound, errorMessage: `no file describes ${name}` },
});

/** The file of a type or a service, or of what is inside one: a method, a field, a oneof, a value of an enum. */
function fileOf(symbol: string): DescFile | undefined {
  const found = REGISTRY.get(symbol);
  if (found) return found.file;
  const end = symbol.lastIndexOf('.');
  const [scope, name] = [symbol.slice(0, Math.max(end, 0)), symbol.slice(end + 1)];
  const holder = REGISTRY.get(scope);
  if (holder) return namesIn(holder).includes(name) ? holder.file : undefined;
  return [...REGISTRY.files].find(
    ({ proto, enums }) => proto.package === scope && valuesOf(enums).includes(name),
  );
}

function namesIn(holder: NonNullable<ReturnType<typeof REGISTRY.get>>): string[] {
  if (holder.kind === 'service') return holder.methods.map(({ name }) => name);
  if (holder.kind !== 'message') return [];
  const { fields, oneofs, nestedEnums } = holder;
  return [...fields.map(({ name }) => name), ...oneofs.map(({ name }) => name), ...valuesOf(nestedEnums)];
}

/** The values of an enum are named in the scope of the enum, not below its name. */
const valuesOf = (enums: readonly DescEnum[]) =>
  enums.flatMap(({ values }) => values.map(({ name }) => name));
