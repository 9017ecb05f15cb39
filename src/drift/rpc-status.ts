import { toJson, fromBinary } from '@bufbuild/protobuf';
import { BinaryReader } from '@bufbuild/protobuf/wire';
import { anyUnpack, AnySchema } from '@bufbuild/protobuf/wkt';
import { ErrorInfoSchema } from '@scalekit-sdk/node/lib/pkg/grpc/scalekit/v1/errdetails/errdetails_pb.js';

/** Of google.rpc.Status. */
const DETAILS = 3;

/** The details of an error as JSON, from the trailer `grpc-status-details-bin`. A text that is none is returned as it is. */
export function readStatusDetails(text: string): unknown {
  try {
    return detailsIn(Buffer.from(text, 'base64')).map(readDetail);
  } catch {
    return text;
  }
}

function detailsIn(bytes: Uint8Array): Uint8Array[] {
  const reader = new BinaryReader(bytes);
  const details: Uint8Array[] = [];
  while (reader.pos < reader.len) {
    const [field, type] = reader.tag();
    if (field === DETAILS) details.push(reader.bytes());
    else reader.skip(type, field);
  }
  return details;
}

function readDetail(bytes: Uint8Array): unknown {
  const any = fromBinary(AnySchema, bytes);
  const info = anyUnpack(any, ErrorInfoSchema);
  if (!info) return { '@type': any.typeUrl, value: Buffer.from(any.value).toString('base64') };
  return { '@type': any.typeUrl, ...(toJson(ErrorInfoSchema, info, { useProtoFieldName: true }) as object) };
}
