import type { ActivityItem, EndReason } from '../journal/activity.ts';
import type { Environment } from '../environment/environment.ts';
import type { ResetPart } from '../environment/save-points.ts';
import { ApiError, invalidArgument, stopping } from '../contract/errors.ts';
import { afterRunning } from '../state/running-time.ts';
import { parseDuration, DEFAULT_WAIT } from '@understudy/text/duration';
import { unknownName, type ControlContext } from './handler.ts';

interface Item {
  id: string;
}

/** Where an environment keeps items of a kind, oldest first. */
interface ItemSource<T> {
  list: () => readonly T[];
  find: (id: string) => T | undefined;
}

/** A kind of item that tests list and wait for: journal entries, mails, outgoing calls or deliveries. */
interface ItemKind<T extends Item> {
  noun: string;
  source: (environment: Environment) => ItemSource<T>;
  /** The items that an activity adds or changes. */
  changedIn: (activity: ActivityItem) => readonly T[];
  /** A call that waits ends with 410 when this part of the environment is reset. */
  part: ResetPart;
  /** For kinds that drop their oldest items: the items after the one with this id. */
  after?: (environment: Environment, since: string) => readonly T[];
}

/** Which items a call lists. */
interface ItemQuery<T> {
  isWanted: (item: T) => boolean;
  /** Only items after the one with this id. */
  since?: string | undefined;
  limit?: number;
}

/** Which items a call waits for. */
interface ItemWait<T> extends ItemQuery<T> {
  count?: number | undefined;
  timeout: string | undefined;
}

/** Lists, finds and waits for the items of one kind. */
export class ItemList<T extends Item> {
  readonly #kind: ItemKind<T>;

  constructor(kind: ItemKind<T>) {
    this.#kind = kind;
  }

  /** Throws `not_found` with the most similar id. */
  get(environment: Environment, id: string): T {
    const found = this.#kind.source(environment).find(id);
    if (!found) throw this.unknown(environment, id);
    return found;
  }

  /** The latest `limit` items, oldest first. */
  list(environment: Environment, { isWanted, since, limit = Infinity }: ItemQuery<T>): T[] {
    return this.after(environment, since).filter(isWanted).slice(-limit);
  }

  /** Oldest first, after the item with the id `since`. Throws `not_found` if there is no such item. */
  after(environment: Environment, since: string | undefined): readonly T[] {
    const { after, source } = this.#kind;
    if (since !== undefined && after) return after(environment, since);
    const all = source(environment).list();
    if (since === undefined) return all;
    const at = all.findIndex(({ id }) => id === since);
    if (at < 0) throw this.unknown(environment, since);
    return all.slice(at + 1);
  }

  /**
   * Existing and new items, each in the state in which it first matched. Resolves with fewer than `count` (1)
   * after the timeout.
   */
  async wait(
    { environment, signal }: Pick<ControlContext, 'environment' | 'signal'>,
    { isWanted, since, count = 1, timeout }: ItemWait<T>,
  ): Promise<readonly T[]> {
    const milliseconds = readTimeout(timeout);
    const later = this.after(environment, since);
    const found = later.filter(isWanted);
    const all = since === undefined ? [] : this.#kind.source(environment).list();
    const known = new Set([...all.slice(0, all.length - later.length), ...found].map(({ id }) => id));
    const take = (activity: ActivityItem) => {
      const isNew = (item: T) => !known.has(item.id) && isWanted(item);
      const taken = this.#kind.changedIn(activity).filter(isNew);
      for (const { id } of taken) known.add(id);
      return taken;
    };
    return gatherMatches(environment, { found, count, take, part: this.#kind.part, milliseconds, signal });
  }

  unknown(environment: Environment, id: string): ApiError {
    const known = this.#kind.source(environment).list();
    return unknownName(
      this.#kind.noun,
      id,
      known.map((item) => item.id),
    );
  }
}

/** What a control call waits for, and how long. */
interface WaitOptions<T> {
  /** Matches so far; new ones are appended. */
  found: T[];
  count: number;
  /** Returns the new matches in an activity item. */
  take: (item: ActivityItem) => readonly T[];
  /** A call that waits ends with 410 when this part of the environment is reset. */
  part: ResetPart;
  /** Real time, independent of the environment's clock. */
  milliseconds: number;
  signal: AbortSignal;
}

const LONGEST = 300_000;

/** Throws `invalid_argument` above the longest allowed wait. */
function readTimeout(timeout: string = DEFAULT_WAIT): number {
  const milliseconds = parseDuration(timeout) ?? 0;
  if (milliseconds > LONGEST) throw invalidArgument(`timeout: ${timeout} is longer than a call may wait, 5m`);
  return milliseconds;
}

/**
 * Resolves when enough matches are found, or with fewer after the timeout or when the caller disconnects.
 * Throws if the environment is reset or dropped, or the process stops.
 */
async function gatherMatches<T>(environment: Environment, wanted: WaitOptions<T>): Promise<readonly T[]> {
  const { found, count, take, part, milliseconds, signal } = wanted;
  const { activity, name } = environment;
  if (found.length >= count || signal.aborted) return found;
  if (activity.endReason) throw waitEnded(name, activity.endReason);
  return new Promise((resolve, reject) => {
    const prevent = afterRunning(milliseconds, finish);
    const deafen = activity.subscribe((item) => {
      if (item.kind === 'end') finish(waitEnded(name, item.reason));
      else if (item.kind === 'reset' && item.parts.includes(part)) finish(waitEnded(name, 'reset'));
      if (found.push(...take(item)) >= count) finish();
    });
    signal.addEventListener('abort', leave);

    function leave(): void {
      finish();
    }

    function finish(failure?: ApiError): void {
      prevent();
      deafen();
      signal.removeEventListener('abort', leave);
      if (failure) reject(failure);
      else resolve(found);
    }
  });
}

const waitEnded = (name: string, reason: EndReason | 'reset') =>
  reason === 'stopping'
    ? stopping()
    : new ApiError('gone', `environment ${name} was ${reason} while this call waited`);
