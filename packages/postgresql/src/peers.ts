import { randomBytes } from 'node:crypto';
import type {
  Owner,
  Peers,
  EnvironmentOwner,
  NamePage,
  OwnedEnvironment,
  ReplicaList,
} from '@understudy/core/store/storage';
import type { Database, Session } from './database.ts';
import type { Lease } from './lease.ts';

const OWNER = `
  SELECT r.id, r.address FROM understudy_environments e
    LEFT JOIN understudy_replicas r ON r.id = e.owner AND NOT r.dead AND r.expires_at >= clock_timestamp()
    WHERE e.name = $1`;

const OTHERS = `
  SELECT DISTINCT address FROM understudy_replicas
    WHERE id <> $1 AND address IS NOT NULL AND NOT dead AND expires_at >= clock_timestamp() ORDER BY address`;

const KEEP = 'UPDATE understudy_environments SET kept_at = clock_timestamp() WHERE name = $1';

const KEPT_BEFORE = `
  SELECT name FROM understudy_environments WHERE kept_at IS NOT NULL ORDER BY kept_at DESC OFFSET $1`;

/** The other processes of the database. `unstored`: the number of commits that are not stored yet, by environment. */
export async function peersIn(
  database: Database,
  lease: Lease,
  unstored: () => ReadonlyMap<string, number>,
): Promise<Peers> {
  return {
    secret: await sharedSecret(database),
    async locate(name): Promise<Owner | undefined> {
      const [found] = await database.query<{ id: string | null; address: string | null }>(OWNER, [name]);
      if (!found) return undefined;
      const isFree = found.id === null || found.id === lease.id;
      return { isFree, address: isFree ? undefined : (found.address ?? undefined) };
    },
    async addresses() {
      const rows = await database.query<{ address: string }>(OTHERS, [lease.id]);
      return rows.map(({ address }) => address);
    },
    replicas: () => replicasOf(database, lease.id),
    async keep(name) {
      await database.query(KEEP, [name]);
    },
    async keptBefore(limit) {
      const rows = await database.query<{ name: string }>(KEPT_BEFORE, [limit]);
      return rows.map(({ name }) => name);
    },
    async environmentsOf(owner, page) {
      const rows = await environmentsOf(database, owner, page);
      const lags = owner === lease.id ? unstored() : undefined;
      return rows.map((row) => ({ ...row, lag: lags && (lags.get(row.name) ?? 0) }));
    },
  };
}

/** Made by the first process. */
async function sharedSecret(database: Database): Promise<string> {
  await database.query(
    "INSERT INTO understudy_secrets (name, value) VALUES ('forwarding', $1) ON CONFLICT (name) DO NOTHING",
    [randomBytes(32).toString('base64url')],
  );
  const [found] = await database.query<{ value: string }>(
    "SELECT value FROM understudy_secrets WHERE name = 'forwarding'",
  );
  return found!.value;
}

/** Of a replica `r`. */
const IS_ALIVE = 'NOT r.dead AND r.expires_at >= clock_timestamp()';

const REPLICAS = `
  SELECT r.id, r.address, r.started_at, r.expires_at, (${IS_ALIVE}) AS alive, coalesce(e.count, 0) AS environments
    FROM understudy_replicas r
    LEFT JOIN (
      SELECT owner, count(*) FROM understudy_environments WHERE owner IS NOT NULL GROUP BY owner
    ) e ON e.owner = r.id
    ORDER BY r.started_at, r.id`;

const COUNT = 'SELECT count(*) FROM understudy_environments';

const page = (isWanted: string) => `
  SELECT e.name, e.epoch, e.position FROM understudy_environments e
    WHERE ${isWanted} AND e.name > $1 ORDER BY e.name LIMIT $2`;

const OWNED = page('e.owner = $3');
const UNOWNED = page(`NOT EXISTS (SELECT FROM understudy_replicas r WHERE r.id = e.owner AND ${IS_ALIVE})`);

interface ReplicaRow {
  id: string;
  address: string | null;
  started_at: Date;
  expires_at: Date;
  alive: boolean;
  environments: string;
}

/** `self`: the id of this process. */
async function replicasOf(session: Session, self: string): Promise<ReplicaList> {
  const rows = await session.query<ReplicaRow>(REPLICAS);
  const [total] = await session.query<{ count: string }>(COUNT);
  const replicas = rows.map(({ id, address, alive, started_at, expires_at, environments }) => ({
    id,
    address: address ?? undefined,
    self: id === self,
    alive,
    started: started_at,
    leaseEnd: expires_at,
    environments: Number(environments),
  }));
  const owned = replicas.reduce((sum, each) => sum + (each.alive ? each.environments : 0), 0);
  const environments = Number(total!.count);
  // An environment may change its owner between the two statements.
  return { replicas, environments, unowned: Math.max(0, environments - owned) };
}

interface EnvironmentRow {
  name: string;
  epoch: string;
  position: string;
}

async function environmentsOf(
  session: Session,
  owner: EnvironmentOwner,
  { after, limit }: NamePage,
): Promise<Omit<OwnedEnvironment, 'lag'>[]> {
  const rows =
    owner === undefined
      ? await session.query<EnvironmentRow>(UNOWNED, [after, limit])
      : await session.query<EnvironmentRow>(OWNED, [after, limit, owner]);
  return rows.map(({ name, epoch, position }) => ({
    name,
    epoch: Number(epoch),
    position: Number(position),
  }));
}
