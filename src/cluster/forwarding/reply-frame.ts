import type { WrittenReply } from '../../pipeline/call.ts';
import type { Breakage } from '../../scenarios/faults.ts';
import { allOf, type Frame } from './frame.ts';

/** A reply on its way back; its text or stream follows. */
export interface ReplyHead extends Pick<WrittenReply, 'status' | 'headers'> {
  content: 'none' | 'json' | 'text' | 'stream';
  breakage?: SentBreakage;
}

/** Bytes as base64. */
type SentBreakage = Exclude<Breakage, { kind: 'garbage' }> | { kind: 'garbage'; bytes: string };

export function replyHead({ status, headers, body, text, chunks, breakage }: WrittenReply): ReplyHead {
  const content = chunks
    ? 'stream'
    : text === undefined
      ? 'none'
      : typeof body === 'string'
        ? 'text'
        : 'json';
  return { status, headers, content, ...(breakage && { breakage: sent(breakage) }) };
}

export async function replyIn({ head, rest }: Frame<ReplyHead>): Promise<WrittenReply> {
  if (head.content === 'stream') return streamReply(head, rest);
  const bytes = await allOf(rest);
  return new ForwardedReply(head, head.content === 'none' ? undefined : bytes.toString());
}

const streamReply = ({ status, headers }: ReplyHead, rest: AsyncIterable<Buffer>): WrittenReply => ({
  status,
  headers,
  body: undefined,
  text: undefined,
  chunks: decoded(rest),
});

async function* decoded(bytes: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  try {
    for await (const chunk of bytes) yield decoder.decode(chunk, { stream: true });
  } catch {
    // The owner has gone: the stream ends, and its reader connects again.
  }
}

/** REST sends the text as it is; only an RPC needs the value. */
class ForwardedReply implements WrittenReply {
  readonly status: number;
  readonly headers: WrittenReply['headers'];
  readonly text: string | undefined;
  readonly breakage: Breakage | undefined;
  readonly #isJson: boolean;

  constructor({ status, headers, content, breakage }: ReplyHead, text: string | undefined) {
    this.status = status;
    this.headers = headers;
    this.text = text;
    this.breakage = breakage && received(breakage);
    this.#isJson = content === 'json';
  }

  get body(): unknown {
    return this.#isJson ? JSON.parse(this.text!) : this.text;
  }
}

const sent = (breakage: Breakage): SentBreakage =>
  breakage.kind === 'garbage'
    ? { ...breakage, bytes: Buffer.from(breakage.bytes).toString('base64') }
    : breakage;

const received = (breakage: SentBreakage): Breakage =>
  breakage.kind === 'garbage' ? { ...breakage, bytes: Buffer.from(breakage.bytes, 'base64') } : breakage;
