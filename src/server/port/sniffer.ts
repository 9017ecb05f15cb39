import type { Duplex } from 'node:stream';

/** Takes over a connection; the bytes that were looked at are there to be read again. */
export type Taker = (socket: Duplex) => void | Promise<void>;

/** Who takes over what. Without `tls`, its bytes go to HTTP/1.1, which refuses them. */
export interface Takers {
  http1: Taker;
  /** HTTP/2 with prior knowledge: the connection begins with its preface. */
  http2: Taker;
  tls?: Taker;
}

const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
const TLS_HANDSHAKE = 0x16;

/** Finds out by its first bytes what a connection speaks. One that says nothing for `timeout` ms is closed. */
export function sniff(socket: Duplex, takers: Takers, timeout: number): void {
  const drop = () => void socket.destroy();
  const timer = setTimeout(drop, timeout);
  let held: Buffer = Buffer.alloc(0);
  socket.on('error', drop).once('close', () => clearTimeout(timer));
  socket.once('readable', look);

  function look(): void {
    const chunk = socket.read() as Buffer | null;
    if (chunk === null && (socket.destroyed || socket.readableEnded)) return drop();
    if (chunk !== null) held = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
    const take = held.length === 0 ? undefined : takerOf(held, takers);
    if (!take) return void socket.once('readable', look);
    clearTimeout(timer);
    socket.unshift(held);
    handOver(take);
  }

  /** Its new owner may have to be loaded first: until then a broken connection is still our business. */
  function handOver(take: Taker): void {
    const taken = take(socket);
    if (taken) taken.then(() => socket.off('error', drop), drop);
    else socket.off('error', drop);
  }
}

/** Undefined as long as more bytes must be seen. */
function takerOf(bytes: Buffer, { http1, http2, tls = http1 }: Takers): Taker | undefined {
  if (bytes[0] === TLS_HANDSHAKE) return tls;
  const length = Math.min(bytes.length, PREFACE.length);
  if (bytes.compare(PREFACE, 0, length, 0, length) !== 0) return http1;
  return length === PREFACE.length ? http2 : undefined;
}
