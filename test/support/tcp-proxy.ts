import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/**
 * `open` passes everything on; `cut` closes connections at once; `stalled` keeps bytes until later; `deaf` passes requests on and
 * drops what comes back, and `slow` keeps what comes back until later.
 */
export type Passage = 'open' | 'cut' | 'stalled' | 'deaf' | 'slow';

interface Pair {
  near: Socket;
  far: Socket;
}

/** A proxy of a port of this machine, which disturbs the connections. */
export class TcpProxy {
  readonly port: number;
  readonly #server: Server;
  readonly #pairs = new Set<Pair>();
  #passage: Passage = 'open';

  static async start(target: number): Promise<TcpProxy> {
    const server = createServer({ noDelay: true });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new TcpProxy(server, target);
  }

  private constructor(server: Server, target: number) {
    this.#server = server;
    this.port = (server.address() as AddressInfo).port;
    server.on('connection', (near) =>
      this.#join(near, connect({ port: target, host: '127.0.0.1', noDelay: true })),
    );
  }

  /** A connection that has lost bytes is closed when the proxy opens again. */
  set passage(next: Passage) {
    const hasLost = this.#passage === 'deaf';
    this.#passage = next;
    for (const pair of this.#pairs) {
      if (hasLost || next === 'cut') end(pair);
      else this.#apply(pair);
    }
  }

  async close(): Promise<void> {
    this.#server.close();
    this.#pairs.forEach(end);
    await once(this.#server, 'close');
  }

  #join(near: Socket, far: Socket): void {
    const pair = { near, far };
    this.#pairs.add(pair);
    for (const socket of [near, far])
      socket
        .on('error', () => end(pair))
        .on('close', () => {
          this.#pairs.delete(pair);
          end(pair);
        });
    near.on('data', (bytes) => far.write(bytes)).on('end', () => far.end());
    far.on('data', (bytes) => this.#passage === 'deaf' || near.write(bytes)).on('end', () => near.end());
    if (this.#passage === 'cut') end(pair);
    else this.#apply(pair);
  }

  #apply({ near, far }: Pair): void {
    flow(near, this.#passage !== 'stalled');
    flow(far, this.#passage !== 'stalled' && this.#passage !== 'slow');
  }
}

function end({ near, far }: Pair): void {
  near.destroy();
  far.destroy();
}

function flow(socket: Socket, isFlowing: boolean): void {
  if (isFlowing) socket.resume();
  else socket.pause();
}
