import { request as requestHttp, type ClientRequest, type IncomingMessage } from 'node:http';
import { request as requestHttps } from 'node:https';
import { Refusal, type Allowed } from './allowed.ts';

export interface Letter {
  url: string;
  headers: Readonly<Record<string, string>>;
  body: string;
  /** Whom it may be sent to. */
  allowed: Allowed;
  /** Ends it, whatever it is waiting for. */
  signal: AbortSignal;
  /** Of the answer, in bytes; more is not read. */
  most?: number;
}

export interface Answered {
  status: number;
  /** The body, or the beginning of it. */
  text: string;
  /** There is more of the body. */
  isCut: boolean;
}

const MOST_READ = 4096;

/**
 * Sends it once, over a connection of its own. Redirects are answers like any other: nobody follows them. Rejects with a
 * `Refusal` where it must not be sent.
 */
export async function post(letter: Letter): Promise<Answered> {
  const { url, headers, body, allowed, signal, most = MOST_READ } = letter;
  const address = readAddress(url);
  allowed.check(address);
  const length = { 'content-length': String(Buffer.byteLength(body)) };
  const send = address.protocol === 'https:' ? requestHttps : requestHttp;
  const sending: ClientRequest = send(address, {
    method: 'POST',
    headers: { ...headers, ...length },
    agent: false,
    signal,
    ...allowed.lookupFor(address),
  });
  try {
    const response = await responseTo(sending, body);
    const parts = await read(response, most);
    signal.throwIfAborted(); // a body without a length ends with its connection, whoever ended that
    return { status: response.statusCode ?? 0, ...parts };
  } finally {
    sending.destroy();
  }
}

function readAddress(url: string): URL {
  const address = URL.canParse(url) ? new URL(url) : undefined;
  if (address && /^https?:$/.test(address.protocol)) return address;
  throw new Refusal('only http and https addresses are called');
}

const responseTo = (sending: ClientRequest, body: string): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    sending.on('error', reject);
    sending.on('response', resolve);
    // As it does where the receiver wants to speak another protocol.
    sending.on('close', () => reject(new Error('the connection ended without an answer')));
    sending.end(body);
  });

async function read(response: IncomingMessage, most: number): Promise<Omit<Answered, 'status'>> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > most) break;
  }
  return { text: Buffer.concat(chunks).subarray(0, most).toString(), isCut: size > most };
}
