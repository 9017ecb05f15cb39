import { ApiError } from '../../errors.ts';
import type { Peers } from '../../store/storage.ts';

/** The most owners that are remembered. */
const MOST_OWNERS = 100_000;

export interface Owner {
  environment: string;
  address: string;
}

/** Where the environments of other processes are, as far as it was looked up. */
export class Owners {
  readonly #peers: Peers;
  readonly #known = new Map<string, string>();

  constructor(peers: Peers) {
    this.#peers = peers;
  }

  /** The owner's address; undefined: no such environment is stored. Throws if its owner has ended and it has no other yet. */
  async addressOf(name: string): Promise<string | undefined> {
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    const owner = await this.#peers.locate(name);
    if (!owner) return undefined;
    if (owner.address === undefined) throw ownedElsewhere(name);
    if (this.#known.size >= MOST_OWNERS) this.#known.clear();
    this.#known.set(name, owner.address);
    return owner.address;
  }

  forget(name: string): void {
    this.#known.delete(name);
  }
}

const unavailable = (message: string) =>
  new ApiError('unavailable', `${message}: try again`, { headers: { 'retry-after': '1' } });

const ownedElsewhere = (name: string) => unavailable(`environment ${name} is being taken over`);

/** `reason`: undefined if the process was reached, but owns the environment no longer. */
export const notReached = ({ environment, address }: Owner, reason: string | undefined) =>
  reason === undefined
    ? ownedElsewhere(environment)
    : unavailable(
        `the process at ${address}, which owns environment ${environment}, cannot be reached: ${reason}`,
      );

export const notLookedUp = (externalId: string) =>
  unavailable(`the organization with the external id ${externalId} cannot be looked up`);
