import type { Environments } from '../environment/environments.ts';
import { unknownName, type ControlOperations } from './handler.ts';

const SELF = 'self';
const NONE = 'none';

export const replicas = {
  Control_ListReplicas(_, { simulator: { environments } }) {
    const { length } = environments.list();
    return {
      replicas: [{ id: SELF, self: true, alive: true, environments: length }],
      environments: length,
      unowned: 0,
    };
  },

  Control_ListReplicaEnvironments(
    { path, query: { after = '', limit = 100 } },
    { simulator: { environments } },
  ) {
    return {
      environments: namesOf(environments, path.replica, after)
        .slice(0, limit)
        .map((name) => ({ name })),
    };
  },
} satisfies Partial<ControlOperations>;

function namesOf(environments: Environments, replica: string, after: string): string[] {
  if (replica === NONE) return [];
  if (replica !== SELF) throw unknownName('replica', replica, [SELF, NONE]);
  const names = environments.list().map(({ name }) => name);
  return names.toSorted().filter((name) => name > after);
}
