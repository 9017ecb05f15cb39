import type { Environments } from '../environment/environments.ts';
import type { EnvironmentOwner, NamePage, OwnedEnvironment, Peers, Replica } from '../store/storage.ts';
import { NotKept } from '../store/not-kept.ts';
import { unknownName, type ControlOperations } from './handler.ts';

/** In a path: the process that answers. */
const SELF = 'self';
/** In a path: no living process. */
const NONE = 'none';

export const replicas = {
  async Control_ListReplicas(_, { simulator: { environments } }) {
    const { peers } = environments;
    if (!peers) return onlyReplica(environments);
    const list = await stored(peers.replicas());
    return { ...list, replicas: list.replicas.map(view) };
  },

  async Control_ListReplicaEnvironments({ path, query }, { simulator: { environments } }) {
    const page = { after: query.after ?? '', limit: query.limit ?? 100 };
    const { peers } = environments;
    if (!peers) return { environments: namesOf(environments, path.replica, page) };
    const owner = await ownerNamed(path.replica, peers);
    const owned = await stored(peers.environmentsOf(owner, page));
    return { environments: owned.map(viewOwned) };
  },
} satisfies Partial<ControlOperations>;

const view = ({ id, address, self, alive, started, leaseEnd, environments }: Replica) => ({
  id,
  ...(address !== undefined && { address }),
  self,
  alive,
  started_at: started.toISOString(),
  lease_ends_at: leaseEnd.toISOString(),
  environments,
});

const viewOwned = ({ lag, ...environment }: OwnedEnvironment) => ({
  ...environment,
  ...(lag !== undefined && { lag }),
});

/** Without a database, nobody else can own an environment. */
function onlyReplica(environments: Environments) {
  const { length } = environments.list();
  return {
    replicas: [{ id: SELF, self: true, alive: true, environments: length }],
    environments: length,
    unowned: 0,
  };
}

function namesOf(environments: Environments, replica: string, { after, limit }: NamePage) {
  if (replica === NONE) return [];
  if (replica !== SELF) throw unknownName('replica', replica, [SELF, NONE]);
  const names = environments.list().map(({ name }) => name);
  const later = names.toSorted().filter((name) => name > after);
  return later.slice(0, limit).map((name) => ({ name }));
}

async function ownerNamed(replica: string, peers: Peers): Promise<EnvironmentOwner> {
  if (replica === NONE) return undefined;
  const known = (await stored(peers.replicas())).replicas;
  const found = known.find(({ id, self }) => (replica === SELF ? self : id === replica));
  if (found) return found.id;
  throw unknownName('replica', replica, [SELF, NONE, ...known.map(({ id }) => id)]);
}

async function stored<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (thrown) {
    throw NotKept.of(thrown);
  }
}
