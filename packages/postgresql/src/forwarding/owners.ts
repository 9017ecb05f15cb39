import type { Environments } from '@understudy/core/environment/environments';
import { ApiError } from '@understudy/core/contract/errors';
import type { Peers } from '@understudy/core/store/storage';

/** The most owners that are remembered. */
const MOST_OWNERS = 100_000;

export interface Owner {
  environment: string;
  address: string;
}

/** How often a call tries to wake an environment that others may put to rest or own. */
const WAKE_TRIES = 2;

/** Where environments are, as far as it was looked up. Those that nobody has open are woken. */
export class Owners {
  readonly #environments: Environments;
  readonly #peers: Peers;
  readonly #known = new Map<string, string>();

  constructor(environments: Environments, peers: Peers) {
    this.#environments = environments;
    this.#peers = peers;
  }

  /**
   * The owner's address; undefined: no such environment is stored, or it is here now, because nobody owned it. Throws if
   * the owner cannot be reached.
   */
  async addressOf(name: string): Promise<string | undefined> {
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    const { stored } = this.#environments;
    for (let attempt = 0; attempt < WAKE_TRIES; attempt += 1) {
      const owner = await stored.locate(name);
      if (!owner) return undefined;
      if (!owner.isFree) return this.#remember(name, owner.address);
      if (stored.isStopped) return this.#addressOfAnother(name);
      await stored.wake(name);
      if (this.#environments.has(name)) return undefined;
    }
    throw ownedElsewhere(name);
  }

  /**
   * Whether the environment is here, after it was woken if nobody had it open. If that fails, the process that has
   * forwarded the call looks the environment up again.
   */
  async take(name: string): Promise<boolean> {
    const { stored } = this.#environments;
    if (!this.#environments.has(name)) await stored.settled(name);
    if (!this.#environments.has(name) && !stored.isStopped) await this.#wakeFree(name).catch(() => {});
    return this.#environments.has(name);
  }

  forget(name: string): void {
    this.#known.delete(name);
  }

  async #wakeFree(name: string): Promise<void> {
    const { stored } = this.#environments;
    const owner = await stored.locate(name);
    if (owner?.isFree) await stored.wake(name);
  }

  /** This process stops, so another one has to wake the environment. */
  async #addressOfAnother(name: string): Promise<string> {
    const [address] = await this.#peers.addresses();
    if (address === undefined) throw ownedElsewhere(name);
    return address;
  }

  #remember(name: string, address: string | undefined): string {
    if (address === undefined) throw ownedElsewhere(name);
    if (this.#known.size >= MOST_OWNERS) this.#known.clear();
    this.#known.set(name, address);
    return address;
  }
}

const unavailable = (message: string) =>
  new ApiError('unavailable', `${message}: try again`, { headers: { 'retry-after': '1' } });

const ownedElsewhere = (name: string) =>
  unavailable(`environment ${name} belongs to another process, or is being taken over`);

/** `reason`: undefined if the process was reached, but owns the environment no longer. */
export const notReached = ({ environment, address }: Owner, reason: string | undefined) =>
  reason === undefined
    ? ownedElsewhere(environment)
    : unavailable(
        `the process at ${address}, which owns environment ${environment}, cannot be reached: ${reason}`,
      );

export const notLookedUp = (externalId: string) =>
  unavailable(`the organization with the external id ${externalId} cannot be looked up`);
