import { randomBytes } from 'node:crypto';
import type { Owner, Peers } from '../../store/storage.ts';
import type { Database } from './database.ts';
import type { Lease } from './lease.ts';
import { environmentsOf, replicasOf } from './replica-list.ts';

const OWNER = `
  SELECT r.id, r.address FROM understudy_environments e
    LEFT JOIN understudy_replicas r ON r.id = e.owner AND NOT r.dead AND r.expires_at >= clock_timestamp()
    WHERE e.name = $1`;

const OTHERS = `
  SELECT DISTINCT address FROM understudy_replicas
    WHERE id <> $1 AND address IS NOT NULL AND NOT dead AND expires_at >= clock_timestamp() ORDER BY address`;

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
