import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type {
  DescField,
  DescMessage,
  DescMethod,
  DescService,
  Message,
  UnknownField,
} from '@bufbuild/protobuf';
import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';

/** The HTTP binding of an RPC. */
export interface Binding {
  verb: string;
  path: string;
  /** `*`: the body is the request without the path variables; empty: there is no body. */
  body: string;
}

export interface Rpc {
  /** The name of the operation in the contract. */
  name: string;
  bindings: Binding[];
  input: DescMessage;
  output: DescMessage;
}

type Options = Message | undefined;

/** Field numbers of the google.api extensions. */
const HTTP_RULE = 72_295_728;
const FIELD_BEHAVIOR = 1052;
const OUTPUT_ONLY = 3;
const INPUT_ONLY = 4;

/** All RPCs of the installed SDK. */
export async function rpcs(): Promise<Rpc[]> {
  const services = await Promise.all(modules().map(servicesOf));
  return services.flat().flatMap((service) => service.methods.map((method) => rpcOf(service, method)));
}

function modules(): string[] {
  const main = createRequire(import.meta.url).resolve('@scalekit-sdk/node');
  const folder = join(dirname(main), 'pkg/grpc/scalekit/v1');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return files.filter((file) => file.endsWith('_pb.js')).map((file) => join(folder, file));
}

async function servicesOf(file: string): Promise<DescService[]> {
  const exported = Object.values(await import(pathToFileURL(file).href)) as { kind?: string }[];
  return exported.filter((each): each is DescService => each?.kind === 'service');
}

function rpcOf(service: DescService, method: DescMethod): Rpc {
  const { input, output, name } = method;
  const bindings = extensionsOf(method.proto.options, HTTP_RULE).flatMap((rule) => readRule(contentOf(rule)));
  return { name: `${service.name}_${name}`, bindings, input, output };
}

/** Set only by the service: requests do not need the field. */
export const isOutputOnly = (field: DescField) => behaviours(field).includes(OUTPUT_ONLY);

/** Set only by callers: responses do not have the field. */
export const isInputOnly = (field: DescField) => behaviours(field).includes(INPUT_ONLY);

/** A behaviour fits into one byte, so packed and unpacked lists read the same. */
const behaviours = (field: DescField) =>
  extensionsOf(field.proto.options, FIELD_BEHAVIOR).flatMap((extension) => [...contentOf(extension)]);

/** The descriptors do not know these extensions and keep them as unknown fields. */
const extensionsOf = (options: Options, no: number) =>
  (options?.$unknown ?? []).filter((extension) => extension.no === no);

const contentOf = ({ wireType, data }: UnknownField) =>
  wireType === WireType.LengthDelimited ? new BinaryReader(data).bytes() : data;

const VERBS: Readonly<Record<number, string>> = { 2: 'get', 3: 'put', 4: 'post', 5: 'delete', 6: 'patch' };
const BODY = 7;
const ADDITIONAL_BINDINGS = 11;

/** Reads a google.api.HttpRule and its additional bindings. */
function readRule(data: Uint8Array): Binding[] {
  const reader = new BinaryReader(data);
  const rule: Binding = { verb: '', path: '', body: '' };
  const further: Binding[] = [];
  while (reader.pos < reader.len) {
    const [field, wireType] = reader.tag();
    const verb = VERBS[field];
    if (verb) Object.assign(rule, { verb, path: reader.string() });
    else if (field === BODY) rule.body = reader.string();
    else if (field === ADDITIONAL_BINDINGS) further.push(...readRule(reader.bytes()));
    else reader.skip(wireType);
  }
  return [rule, ...further];
}
