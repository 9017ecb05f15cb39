import type { Environments } from '../environment/environments.ts';
import { TextReply, type ControlOperations } from './handler.ts';

export const metrics = {
  async Control_GetMetrics(_, { metrics: counts, simulator, version }) {
    const { environments } = simulator;
    // The library is loaded at its first use, so that it does not slow down the start.
    const { expose, MEDIA_TYPE } = await import('../report/metrics/exposition.ts');
    const inMemory = environments.list().filter(({ log }) => !log.isOver).length;
    const gauges = { version, environments: inMemory, stored: await storedIn(environments) };
    return new TextReply(MEDIA_TYPE, await expose(counts, gauges));
  },
} satisfies Partial<ControlOperations>;

/** A database that cannot be reached must not hide the other values. */
async function storedIn({ peers }: Environments) {
  const list = await peers?.replicas().catch(() => undefined);
  if (!list) return undefined;
  const alive = list.replicas.filter((replica) => replica.alive).length;
  const { environments, unowned } = list;
  return { alive, ended: list.replicas.length - alive, environments, unowned };
}
