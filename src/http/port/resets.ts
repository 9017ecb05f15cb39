import type { ServerHttp2Session, ServerHttp2Stream } from 'node:http2';
import { uptime } from '../../world/clock.ts';

/** Streams that a client may cancel at once, and how many a second after that. */
const BURST = 200;
const RATE = 50;

/** Streams end with the first when all is well, and with the second when a scenario breaks them off. */
const OURS: ReadonlySet<number> = new Set([0, 2]);
const ENHANCE_YOUR_CALM = 11;

/**
 * Ends a connection whose client opens streams only to cancel them (CVE-2023-44487). Node itself takes 1000 of them and
 * leaves the connection open; its options for this came with version 22.
 */
export function limitResets(session: ServerHttp2Session): void {
  let left = BURST;
  let since = uptime();
  const count = ({ rstCode }: ServerHttp2Stream) => {
    if (OURS.has(rstCode) || session.destroyed) return;
    const now = uptime();
    left = Math.min(BURST, left + ((now - since) / 1000) * RATE) - 1;
    since = now;
    if (left < 0) session.destroy(new Error('too many cancelled streams'), ENHANCE_YOUR_CALM);
  };
  session.on('stream', (stream) => {
    if (stream.destroyed) count(stream);
    else stream.once('close', () => count(stream));
  });
}
