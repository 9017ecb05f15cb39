import type { EventLoopUtilization } from 'node:perf_hooks';
import type { Controls } from '../control/handler.ts';
import { loadParts, type Piece } from '../parts.ts';

/**
 * Milliseconds after the start. By then, first calls have come, and `launch.ts` has kept the code that they needed, which is to
 * be no more than that.
 */
const AFTER_START = 3500;
/** Milliseconds between two pieces. */
const PAUSE = 50;
/** The process is idle if calls take no larger share of its time. */
const IDLE = 0.2;

/**
 * Prepares first uses while the service is idle, because loading the code for one of them would keep other calls waiting. Returns
 * a function that stops it.
 */
export function warmUp(controls: Controls): () => void {
  let pieces: Iterator<Piece, undefined> | undefined;
  let isStopped = false;
  let before: EventLoopUtilization | undefined;
  const step = async () => {
    // Loaded here, because it would make the start longer.
    const { performance } = await import('node:perf_hooks');
    if (performance.eventLoopUtilization(before).utilization < IDLE) {
      const { done, value: piece } = (pieces ??= (await piecesOf(controls)).values()).next();
      if (done) return;
      await piece().catch(() => {}); // the first use tells its user
    }
    before = performance.eventLoopUtilization();
    if (!isStopped) timer = setTimeout(step, PAUSE).unref();
  };
  let timer = setTimeout(step, AFTER_START).unref();
  return () => {
    isStopped = true;
    clearTimeout(timer);
  };
}

/** One turn each. */
export async function piecesOf(controls: Controls): Promise<readonly Piece[]> {
  const { documents, scenarios } = controls;
  return [
    async () => (await import('yaml')).parseDocument,
    async () => (await import('re2js')).RE2JS,
    async () => (await scenarios()).library.read('rate-limit-once'),
    async () => (await import('ajv/dist/2020.js')).Ajv2020,
    async () => (await import('@faker-js/faker')).Faker,
    () => import('../server/grpc/rpc-server.ts'),
    () => import('@understudy/mcp/protocol'),
    async () => documents.service(),
    ...(await loadParts()).flatMap(({ warmUp: pieces }) => pieces?.(controls) ?? []),
  ];
}
