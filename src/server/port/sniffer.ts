import type { Duplex } from 'node:stream';
import { createSecureContext, createServer, type TLSSocket } from 'node:tls';
import type { Certificates } from '../certificates/certificates.ts';
import type { Identity } from '../certificates/issue.ts';

/** Takes over a connection. The bytes that the sniffer has seen can be read again. */
export type SocketHandler = (socket: Duplex) => void | Promise<void>;

/** A handler for each protocol. Without `tls`, TLS connections go to HTTP/1.1, which refuses them. */
export interface SocketHandlers {
  http1: SocketHandler;
  /** HTTP/2 with prior knowledge: the connection begins with its preface. */
  http2: SocketHandler;
  tls?: SocketHandler;
}

const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
const TLS_HANDSHAKE = 0x16;

/** Recognizes the protocol of a connection by its first bytes. Closes a connection that is silent for `timeout` ms. */
export function sniff(socket: Duplex, takers: SocketHandlers, timeout: number): void {
  const drop = () => void socket.destroy();
  const timer = setTimeout(drop, timeout);
  let held: Buffer = Buffer.alloc(0);
  socket.on('error', drop).once('close', () => clearTimeout(timer));
  socket.once('readable', look);

  function look(): void {
    const chunk = socket.read() as Buffer | null;
    if (chunk === null && (socket.destroyed || socket.readableEnded)) return drop();
    if (chunk !== null) held = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
    const take = held.length === 0 ? undefined : handlerFor(held, takers);
    if (!take) return void socket.once('readable', look);
    clearTimeout(timer);
    socket.unshift(held);
    handOver(take);
  }

  /** The handler may have to be loaded first. Until then, errors of the connection are handled here. */
  function handOver(take: SocketHandler): void {
    const taken = take(socket);
    if (taken) taken.then(() => socket.off('error', drop), drop);
    else socket.off('error', drop);
  }
}

/** Undefined while more bytes are needed. */
function handlerFor(bytes: Buffer, { http1, http2, tls = http1 }: SocketHandlers): SocketHandler | undefined {
  if (bytes[0] === TLS_HANDSHAKE) return tls;
  const length = Math.min(bytes.length, PREFACE.length);
  if (bytes.compare(PREFACE, 0, length, 0, length) !== 0) return http1;
  return length === PREFACE.length ? http2 : undefined;
}

/** Hands the content of a TLS connection to a handler: by ALPN if agreed, otherwise by the first bytes. */
export async function createTls(
  certificates: Certificates,
  { http1, http2 }: SocketHandlers,
  silence: number,
) {
  const server = createServer({
    ...pems(await certificates.server()),
    ALPNProtocols: ['h2', 'http/1.1'],
    SNICallback: (name, show) => {
      certificates.serverFor(name).then((identity) => show(null, createSecureContext(pems(identity))), show);
    },
  });
  server.on('secureConnection', (socket: TLSSocket) => {
    if (socket.alpnProtocol === 'h2') void http2(socket);
    else if (socket.alpnProtocol === 'http/1.1') void http1(socket);
    else sniff(socket, { http1, http2 }, silence);
  });
  server.on('tlsClientError', (_, socket) => socket.destroy());
  return { take: (socket: Duplex) => void server.emit('connection', socket) };
}

const pems = ({ certificate, key }: Identity) => ({ cert: certificate, key });
