import { duplexPair, type Duplex } from 'node:stream';

/** What the application asks of a connection. */
export interface Facts {
  remoteAddress: string | undefined;
  remotePort: number | undefined;
  localPort: number | undefined;
  encrypted: boolean;
  /** What the caller speaks, where the exchange in memory has another. */
  httpVersion: string;
}

/**
 * A connection in memory: the caller's end of it, and the application's. Each hears when the other one breaks, which Node's own
 * pair does not tell; what was written before is still read.
 */
export function createExchange(facts: Facts): { near: Duplex; far: Duplex } {
  const [near, far] = duplexPair();
  far.once('close', () => {
    near.once('end', () => near.destroy());
    near.push(null);
  });
  near.once('close', () => far.destroy());
  const destroySoon = () => far.end(() => far.destroy());
  return { near, far: Object.assign(far, facts, { destroySoon }) };
}
