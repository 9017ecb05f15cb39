import { StoreUnavailable, type StoreError } from '@understudy/core/store/change-log';
import type { Database } from './database.ts';

/** What another life of this process knows about an environment whose last commits may not have been stored. */
export interface Unconfirmed {
  owner: string;
  epoch: string;
  /** Commits from this position on were never acknowledged. */
  from: number;
}

interface TenureListener {
  /** `isGivenUp`: the database has no owner of it any more; otherwise it may still name this process. */
  ended(isGivenUp: boolean): void;
  /** The last commits may not have been stored. */
  unconfirmed(what: Unconfirmed): void;
}

/** The time in which this process owns one environment. */
export class Tenure {
  readonly name: string;
  readonly owner: string;
  /** A whole number; it rises at every change of the owner. */
  readonly epoch: string;
  readonly #listener: TenureListener;
  #ending: StoreError | undefined;

  constructor({ name, owner, epoch }: Pick<Tenure, 'name' | 'owner' | 'epoch'>, listener: TenureListener) {
    this.name = name;
    this.owner = owner;
    this.epoch = epoch;
    this.#listener = listener;
  }

  /** Why this process no longer owns the environment. */
  get ending(): StoreError | undefined {
    return this.#ending;
  }

  /** `from`: the position of the first commit that was not acknowledged. */
  end(reason: StoreError, { from, isGivenUp = false }: { from?: number; isGivenUp?: boolean } = {}): void {
    const { owner, epoch } = this;
    if (from !== undefined) this.#listener.unconfirmed({ owner, epoch, from });
    if (this.#ending) return;
    this.#ending = reason;
    this.#listener.ended(isGivenUp);
  }
}

/** What is stored of an environment that was just claimed. */
export interface Claim {
  epoch: string;
  /** Position of the next commit. */
  position: number;
  /** Position of the snapshot; undefined if there is none. */
  snapshot: number | undefined;
  /** Milliseconds since somebody used the environment. */
  idle: number;
  /** As `Rest` has it; undefined: the environment never was at rest. */
  summary: unknown;
}

interface ClaimRow {
  epoch: string;
  position: string;
  snapshot: string | null;
  idle: number;
  summary: string | null;
}

const FOUND =
  'epoch, position, snapshot, summary, (extract(epoch FROM clock_timestamp() - used_at) * 1000)::float8 AS idle';

/** Epochs continue where an environment of the same name was removed. */
const CREATE = `
  INSERT INTO understudy_environments (name, owner, epoch, position)
    VALUES ($1, $2, (extract(epoch FROM clock_timestamp()) * 1000)::bigint, 0)
    ON CONFLICT (name) DO NOTHING RETURNING ${FOUND}`;

/** The common case of `TAKE`: nobody owns the environment. */
const TAKE_RESTING = `
  UPDATE understudy_environments SET owner = $2, epoch = epoch + 1, due_at = '-infinity'
    WHERE name = $1 AND owner IS NULL RETURNING ${FOUND}`;

const BURY = `
  UPDATE understudy_replicas r SET dead = true FROM understudy_environments e
    WHERE e.name = $1 AND r.id = e.owner AND NOT r.dead AND r.expires_at < clock_timestamp()`;

const LOOK = `
  SELECT e.epoch, e.owner, (r.id IS NOT NULL AND NOT r.dead) AS alive
    FROM understudy_environments e LEFT JOIN understudy_replicas r ON r.id = e.owner WHERE e.name = $1`;

/**
 * `$5`: the position from which on commits were not acknowledged, or null. Nobody has seen them: they are removed. An
 * owner that has ended may have used the environment until then.
 */
const TAKE = `
  WITH taken AS (
    UPDATE understudy_environments SET owner = $2, epoch = epoch + 1, due_at = '-infinity',
      position = coalesce(least(position, $5), position),
      used_at = CASE WHEN owner IS NULL THEN used_at ELSE clock_timestamp() END
      WHERE name = $1 AND epoch = $3 AND owner IS NOT DISTINCT FROM $4 RETURNING ${FOUND}
  ), removed AS (
    DELETE FROM understudy_commits c USING taken t WHERE c.environment = $1 AND c.position >= t.position
  )
  SELECT epoch, position, snapshot, summary, idle FROM taken`;

/** Callers of the environment wait too. */
const WAIT_SHORTLY = "SET LOCAL lock_timeout = '1s'";

interface Claimant {
  name: string;
  owner: string;
  unconfirmed: Unconfirmed | undefined;
  /** Undefined: the environment is created if it does not exist. */
  wanted: 'existing' | undefined;
}

/** Makes `owner` the owner of the environment. Throws StoreUnavailable if another process that lives owns it. */
export async function claim(database: Database, claimant: Claimant): Promise<Claim> {
  const { name, owner, unconfirmed, wanted } = claimant;
  const takeFree = wanted ? (unconfirmed ? undefined : TAKE_RESTING) : CREATE;
  const [free] = takeFree === undefined ? [] : await database.query<ClaimRow>(takeFree, [name, owner]);
  if (free) return claimOf(free);
  await database.query(BURY, [name]);
  const [found] = await database.query<{ epoch: string; owner: string | null; alive: boolean }>(LOOK, [name]);
  if (!found && !wanted) return claim(database, claimant); // it was removed meanwhile
  if (!found) throw new StoreUnavailable(`environment ${name} was removed`);
  if (found.alive && found.owner !== owner) throw ownedElsewhere(name);
  const isOurs = unconfirmed?.epoch === found.epoch && unconfirmed.owner === found.owner;
  const from = isOurs ? unconfirmed.from : null;
  const values = [name, owner, found.epoch, found.owner, from];
  const [taken] = await database.transaction(async (session) => {
    await session.query(WAIT_SHORTLY);
    return session.query<ClaimRow>(TAKE, values);
  });
  if (!taken) throw ownedElsewhere(name);
  return claimOf(taken);
}

const claimOf = ({ epoch, position, snapshot, idle, summary }: ClaimRow): Claim => ({
  epoch,
  idle,
  summary: summary === null ? undefined : JSON.parse(summary),
  position: Number(position),
  snapshot: snapshot === null ? undefined : Number(snapshot),
});

const ownedElsewhere = (name: string) =>
  new StoreUnavailable(`environment ${name} belongs to another process, or is being taken over: try again`);
