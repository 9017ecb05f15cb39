import { once } from 'node:events';
import { connect as connectHttp2, constants, type ClientHttp2Session } from 'node:http2';
import { connect, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import { DEFAULTS, type Config } from '../../src/start/config.ts';
import { listen } from '../../src/server/port/listener.ts';
import { createUnderstudy } from '../../src/simulator.ts';
import { packageFiles } from './boot.ts';

/** A simulator in memory that listens on a real port. */
export async function openPort({ silence, ...config }: Partial<Config> & { silence?: number } = {}) {
  const whole = { ...DEFAULTS, data: undefined, logLevel: 'warn' as const, port: 0, ...config };
  const understudy = await createUnderstudy(whole, () => {}, packageFiles);
  const listener = await listen(understudy, { ...whole, ...(silence !== undefined && { silence }) });
  onTestFinished(async () => {
    await listener.stop(0);
    await understudy.close();
  });
  return { ...listener, port: Number(new URL(listener.url).port), understudy };
}

/** A TCP connection and everything that is received over it. */
export function dial(port: number): { socket: Socket; heard: () => Promise<string> } {
  const socket = connect(port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  socket.on('error', () => {});
  const closed = once(socket, 'close');
  return {
    socket,
    heard: async () => {
      await closed;
      return Buffer.concat(chunks).toString('latin1');
    },
  };
}

export interface Answer {
  status: number;
  headers: Record<string, unknown>;
  text: string;
}

export function dialHttp2(url: string, options: object = {}): ClientHttp2Session {
  const session = connectHttp2(url, options);
  session.on('error', () => {});
  onTestFinished(() => session.destroy());
  return session;
}

/** Makes one call over HTTP/2. Rejects when the stream is reset. */
export async function call2(
  session: ClientHttp2Session,
  headers: Record<string, string>,
  body?: string | Buffer,
): Promise<Answer> {
  const stream = session.request(headers, { endStream: body === undefined });
  if (body !== undefined) stream.end(body);
  const answered = once(stream, 'response');
  const chunks: Buffer[] = [];
  stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  const [[received]] = await Promise.all([answered, once(stream, 'close')]);
  if (stream.rstCode !== constants.NGHTTP2_NO_ERROR) throw new Error(`stream broken off: ${stream.rstCode}`);
  return { status: received[':status'], headers: received, text: Buffer.concat(chunks).toString() };
}
