import { fromBinary, fromJson, toBinary, toJson, type DescMethod, type JsonValue } from '@bufbuild/protobuf';
import type { Answer } from '../../drift/answer-comparison.ts';
import type { SentRequest } from '../../drift/stage.ts';
import { pathOf } from '../../server/grpc/rpc.ts';
import { SERVICES } from '../../server/grpc/rpc-server.ts';
import { frame } from '../../server/grpc/wire.ts';

const FRAME_HEAD = 5;
/** Marks the frame with the trailers. */
const TRAILERS = 0x80;

let methods: ReadonlyMap<string, DescMethod> | undefined;

const methodAt = (path: string): DescMethod | undefined =>
  (methods ??= new Map(
    SERVICES.flatMap((service) => service.methods.map((method) => [pathOf(method), method])),
  )).get(path);

/** Sends an RPC over gRPC-Web, which needs no HTTP/2 and answers with the trailers of gRPC. */
export async function sendRpc(url: string, { path, headers, messages = [] }: SentRequest): Promise<Answer> {
  const method = methodAt(path);
  const [message = {}] = messages;
  const body = method
    ? frame(
        toBinary(method.input, fromJson(method.input, message as JsonValue, { ignoreUnknownFields: true })),
      )
    : frame(new Uint8Array());
  const { 'content-type': _, accept: __, ...others } = headers;
  const response = await fetch(`${url}${path}`, {
    method: 'POST',
    headers: { ...others, 'content-type': 'application/grpc-web+proto', 'x-grpc-web': '1' },
    body: new Uint8Array(body),
  });
  const bytes = Buffer.from(await response.arrayBuffer());
  const inHead = Object.fromEntries([...response.headers].filter(([name]) => name.startsWith('grpc-')));
  const { trailers, contents } = framesIn(bytes);
  return {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    trailers: { ...inHead, ...trailers },
    ...(method && {
      messages: contents.map((each) =>
        toJson(method.output, fromBinary(method.output, each), { useProtoFieldName: true }),
      ),
    }),
  };
}

function framesIn(bytes: Buffer): { contents: Uint8Array[]; trailers: Record<string, string> } {
  const contents: Uint8Array[] = [];
  let trailers: Record<string, string> = {};
  for (let at = 0; at + FRAME_HEAD <= bytes.length;) {
    const end = at + FRAME_HEAD + bytes.readUInt32BE(at + 1);
    const content = bytes.subarray(at + FRAME_HEAD, end);
    if (bytes[at]! & TRAILERS) trailers = trailersIn(content.toString());
    else contents.push(content);
    at = end;
  }
  return { contents, trailers };
}

function trailersIn(text: string): Record<string, string> {
  const lines = text.split('\r\n').filter((line) => line !== '');
  return Object.fromEntries(
    lines.map((line) => [
      line.slice(0, line.indexOf(':')).toLowerCase(),
      line.slice(line.indexOf(':') + 1).trim(),
    ]),
  );
}
