/** How the two sides spoke. `webhook`: the service called the application. */
export type Protocol = 'rest' | 'oauth' | 'grpc' | 'grpc-web' | 'connect' | 'webhook';

/** One call and its answer, as a recording keeps them: without secrets. */
export interface Exchange {
  /** Counts the calls of the recording in the order in which they began. */
  n: number;
  /** ISO times of the machine that recorded. */
  at: string;
  ended: string;
  protocol: Protocol;
  /** The id of our contract's operation, if a path or an RPC of it matches. */
  operation?: string;
  request: RecordedRequest;
  response: RecordedResponse;
}

/** A body is kept in one of its forms, or not at all. */
export interface RecordedMessage {
  /** Names are in lower case. */
  headers: Record<string, string | string[]>;
  json?: unknown;
  form?: Record<string, string[]>;
  text?: string;
  /** Of gRPC, in the JSON of protobuf with the field names of the `.proto` files. */
  messages?: unknown[];
  /** The fields of gRPC messages that our descriptors lack. */
  unknown?: string[];
  /** The length of a body that is not kept. */
  bytes?: number;
}

interface RecordedRequest extends RecordedMessage {
  method: string;
  /** With its query. */
  path: string;
}

interface RecordedResponse extends RecordedMessage {
  status: number;
  /** Of gRPC and gRPC-Web. */
  trailers?: Record<string, string>;
  /** Why there is no answer, or only a part of one. */
  failed?: string;
}

/** In characters. Longer texts that hold bytes are of no use in a recording. */
const LONGEST_BYTES = 32_768;
const BYTES = /^(data:[^,]*,)?[\w+/\r\n-]+={0,2}\s*$/;
/** Of the beginning of a text: fewer different characters make no bytes, but a repeated letter. */
const FEWEST_CHARACTERS = 20;
const SHORTENED = /^\(\d+ characters of bytes\)$/;

/** The length in place of a long text of bytes, such as base64. Other texts stay, because answers depend on them. */
export function withoutBytes(text: string): string {
  const isBytes =
    text.length > LONGEST_BYTES && new Set(text.slice(0, 1000)).size >= FEWEST_CHARACTERS && BYTES.test(text);
  return isBytes ? `(${text.length} characters of bytes)` : text;
}

/** Whether a recording has the length in place of this text. */
export const isShortened = (text: string): boolean => SHORTENED.test(text);

const RPC: ReadonlySet<Protocol> = new Set<Protocol>(['grpc', 'grpc-web', 'connect']);

export const isRpc = ({ protocol }: Pick<Exchange, 'protocol'>): boolean => RPC.has(protocol);

/** The bodies of one side, in the order in which they came: most calls have one. */
export const bodiesOf = ({ json, messages }: RecordedMessage): readonly unknown[] =>
  messages ?? (json === undefined ? [] : [json]);
