import type { readAddress, Pool } from './driver.ts';
import { StoreError, StoreUnavailable } from '@understudy/core/store/change-log';
import { withoutPassword } from '@understudy/text/addresses';

const SCHEMES = ['postgres:', 'postgresql:'];

/** `postgres://user:password@host:5432/database?sslmode=verify-full&sslrootcert=ca.pem`; what is missing comes from `PG*`. */
function addressOf(text: string, read: typeof readAddress) {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  // The text may hold a password, so that the message cannot show it.
  if (!url || !SCHEMES.includes(url.protocol))
    throw new StoreError('--store is not the address of a database: postgres://user@host:5432/database');
  const { searchParams: options } = url;
  // `require` encrypts and `verify-full` also checks, as they do for psql.
  if (options.has('sslmode')) options.set('uselibpqcompat', 'true');
  try {
    return { shown: withoutPassword(text), settings: read(url.href) };
  } catch (thrown) {
    throw StoreError.from('--store', thrown);
  }
}

type Value = string | number | boolean | null | Buffer | readonly (string | number)[];

type ResultRow = Record<string, unknown>;

/** Runs one statement. */
export interface Session {
  query<R = ResultRow>(text: string, values?: readonly Value[]): Promise<R[]>;
}

interface DatabaseOptions {
  /** Milliseconds that a connection or a statement may take. */
  timeout: number;
  connections: number;
}

/**
 * A pool of connections. Statements have no names, and nothing is expected of a connection but what one transaction does
 * in it, so that a pooler such as PgBouncer may stand between.
 */
export class Database implements Session {
  /** For messages: without the password. */
  readonly shown: string;
  readonly #pool: Pool;

  static async open(url: string, { timeout, connections }: DatabaseOptions): Promise<Database> {
    const driver = await import('./driver.ts');
    const { shown, settings } = addressOf(url, driver.readAddress);
    const pool = new driver.Pool({
      ...settings,
      application_name: 'understudy',
      max: connections,
      connectionTimeoutMillis: timeout,
      query_timeout: timeout,
      keepAlive: true,
    });
    pool.on('error', () => {}); // An idle connection has ended; the next statement opens another one.
    return new Database(shown, pool);
  }

  private constructor(shown: string, pool: Pool) {
    this.shown = shown;
    this.#pool = pool;
  }

  /**
   * A failed statement costs its connection, because nobody knows what the connection still does. `timeout`: milliseconds,
   * where they differ from those of the pool.
   */
  async query<R = ResultRow>(text: string, values: readonly Value[] = [], timeout?: number): Promise<R[]> {
    try {
      const limit = timeout === undefined ? {} : { query_timeout: timeout };
      const { rows } = await this.#pool.query({ text, values: [...values], ...limit });
      return rows as R[];
    } catch (thrown) {
      throw this.#failure(thrown);
    }
  }

  /** Runs statements in one transaction, which is undone if `run` throws. */
  async transaction<T>(run: (session: Session) => Promise<T>): Promise<T> {
    const client = await this.#pool.connect().catch((thrown: unknown) => {
      throw this.#failure(thrown);
    });
    const ignore = () => {}; // the statement that runs fails too
    client.on('error', ignore);
    try {
      await client.query('BEGIN');
      const session = {
        query: async <R>(text: string, values: readonly Value[] = []) =>
          (await client.query(text, [...values])).rows as R[],
      };
      const result = await run(session);
      await client.query('COMMIT');
      client.release();
      return result;
    } catch (thrown) {
      client.release(true);
      throw this.#failure(thrown);
    } finally {
      client.off('error', ignore);
    }
  }

  async close(): Promise<void> {
    await this.#pool.end();
  }

  #failure(thrown: unknown): StoreError {
    if (thrown instanceof StoreError) return thrown;
    return new StoreUnavailable(`database ${this.shown}: ${reasonOf(thrown)}`, { cause: thrown });
  }
}

/** Node tries all addresses of a host and throws one error for all of them, without a message. */
function reasonOf(thrown: unknown): string {
  if (thrown instanceof AggregateError) return thrown.errors.map(reasonOf).join(', ');
  return thrown instanceof Error ? thrown.message || thrown.name : String(thrown);
}

/** The code of PostgreSQL's error, such as `42P01`; undefined if there was no answer. */
export function sqlStateOf(thrown: unknown): string | undefined {
  const cause: unknown = thrown instanceof StoreError ? thrown.cause : thrown;
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) ? code : undefined;
}
