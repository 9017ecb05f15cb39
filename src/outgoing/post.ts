import { request as requestHttp, type ClientRequest, type IncomingMessage } from 'node:http';
import { request as requestHttps } from 'node:https';

export interface Letter {
  url: string;
  headers: Readonly<Record<string, string>>;
  body: string;
  /** Ends it, whatever it is waiting for. */
  signal: AbortSignal;
}

export interface Answered {
  status: number;
  /** The beginning of the body. */
  text: string;
}

/** Of an answer, in bytes; more is not read. */
const MOST_READ = 4096;

/** Sends it once, over a connection of its own. Redirects are answers like any other: nobody follows them. */
export function post({ url, headers, body, signal }: Letter): Promise<Answered> {
  return new Promise((resolve, reject) => {
    const length = { 'content-length': String(Buffer.byteLength(body)) };
    const send = url.startsWith('https:') ? requestHttps : requestHttp;
    const sending: ClientRequest = send(url, {
      method: 'POST',
      headers: { ...headers, ...length },
      agent: false,
      signal,
    });
    sending.on('error', reject);
    sending.on('response', (response) => {
      read(response).then((text) => {
        sending.destroy();
        resolve({ status: response.statusCode ?? 0, text });
      }, reject);
    });
    sending.end(body);
  });
}

async function read(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    size += chunk.length;
    if (size >= MOST_READ) break;
  }
  return Buffer.concat(chunks).subarray(0, MOST_READ).toString();
}
