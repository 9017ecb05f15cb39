import type { OwnedEnvironment, ReplicaList } from '../../client/control.ts';
import { table, type Session } from './connect.ts';

/** The most environments that a call of the control API lists. */
const PAGE = 1000;

/** Prints the replicas, or the environments of one of them. */
export async function listReplicas({ service, print }: Session, replica?: string): Promise<void> {
  if (replica === undefined) {
    const list = await service.replicas.list();
    return print(list, replicaLines(list));
  }
  const owned = await allOf(service, replica);
  return print(owned, table(owned.map(ownedCells)));
}

async function allOf({ replicas }: Session['service'], replica: string): Promise<OwnedEnvironment[]> {
  const owned: OwnedEnvironment[] = [];
  for (;;) {
    const last = owned.at(-1)?.name;
    const page = await replicas.environments(replica, { ...(last && { after: last }), limit: PAGE });
    owned.push(...page);
    if (page.length < PAGE) return owned;
  }
}

function replicaLines({ replicas, unowned }: ReplicaList): string[] {
  const rows = replicas.map(({ id, address = '-', self, alive, lease_ends_at, environments }) => [
    id,
    address,
    alive ? 'alive' : 'ended',
    lease_ends_at === undefined ? '-' : `lease until ${lease_ends_at}`,
    count(environments),
    self ? '(answers)' : '',
  ]);
  return [...table(rows), ...(unowned > 0 ? [`${count(unowned)} without an owner`] : [])];
}

const count = (environments: number) => `${environments} environment${environments === 1 ? '' : 's'}`;

const ownedCells = ({ name, epoch, position, lag }: OwnedEnvironment): string[] => [
  name,
  epoch === undefined ? 'not stored' : `epoch ${epoch}`,
  position === undefined ? '' : `${position} commits`,
  lag === undefined ? '' : `${lag} not stored yet`,
];
