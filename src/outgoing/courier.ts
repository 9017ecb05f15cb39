import type { Environment } from '../environments/environment.ts';
import type { Era } from '../environments/news.ts';
import type { Keys } from '../world/keys.ts';
import type { Rows } from '../world/schema.ts';
import { attempt, isDelivered, type Outcome } from './attempt.ts';
import { Lanes } from './lanes.ts';

type OutgoingCall = Rows['outgoing_calls'];

/** Real milliseconds until a call is given up. */
const PATIENCE = 10_000;
/** The calls go out on their own account, not on that of a caller. */
const OWN = { baseUrl: 'http://localhost' };

/** A call to be made, and the time of the environment that it belongs to. */
export interface Errand {
  environment: Environment;
  era: Era;
  id: string;
}

/**
 * Makes the calls that wait, some at once for each host, and writes down how they went. One that is cut off by the end
 * of the process goes on waiting; one whose environment was put back meanwhile is forgotten.
 */
export class Courier {
  readonly #keys: Keys;
  readonly #report: (message: string, cause: unknown) => void;
  readonly #stop = new AbortController();
  readonly #underWay = new Set<Promise<void>>();
  /** Each time of each environment has its own: what hangs from before a reset delays nothing after it. */
  readonly #lanes = new WeakMap<Era, Lanes>();

  constructor(keys: Keys, report: (message: string, cause: unknown) => void) {
    this.#keys = keys;
    this.#report = report;
  }

  /** After what happens now: the answer to whoever caused it goes first. */
  take(errands: readonly Errand[]): void {
    setImmediate(() => errands.forEach((errand) => this.#begin(errand)));
  }

  /** Waits for what is under way, and cuts it off. */
  async close(): Promise<void> {
    this.#stop.abort();
    await Promise.allSettled(this.#underWay);
  }

  #begin(errand: Errand): void {
    const call = this.#waiting(errand);
    if (!call) return;
    const lanes = this.#lanes.get(errand.era) ?? new Lanes();
    this.#lanes.set(errand.era, lanes);
    const going = lanes
      .run({ id: call.id, host: hostOf(call.url) }, () => this.#go(errand))
      .catch((thrown: unknown) => this.#report(`outgoing call ${call.id}`, thrown))
      .finally(() => this.#underWay.delete(going));
    this.#underWay.add(going);
  }

  async #go(errand: Errand): Promise<void> {
    const call = this.#waiting(errand);
    if (!call) return;
    const stopping = this.#stop.signal;
    const outcome = await attempt(call, { keys: this.#keys, patience: PATIENCE, stopping });
    if (!stopping.aborted && this.#waiting(errand)) record(errand, outcome);
  }

  /** Undefined where it is not to be made any more. */
  #waiting({ environment, era, id }: Errand): OutgoingCall | undefined {
    if (era.over || this.#stop.signal.aborted) return undefined;
    const call = environment.tables.outgoing_calls.find(id);
    return call?.status === 'PENDING' ? call : undefined;
  }
}

const hostOf = (url: string) => (URL.canParse(url) ? new URL(url).host : '');

function record({ environment, id }: Errand, outcome: Outcome): void {
  environment.transact(OWN, (world) => {
    const { attempts } = world.outgoing_calls.get(id);
    world.outgoing_calls.update(id, {
      status: isDelivered(outcome) ? 'DELIVERED' : 'FAILED',
      attempts: [...attempts, { time: world.clock.iso(), ...outcome }],
    });
  });
}
