import { takeOwnership, type Ownership } from './folder-owner.ts';
import { refusesWrites } from './private-files.ts';
import { StoreError } from './store-error.ts';

/**
 * Who may write to a data folder. A claim is a socket in the folder, and a full disk refuses that too: then what is kept
 * is read all the same, and nothing is written before the folder is claimed.
 */
export class FolderClaim {
  readonly #folder: string;
  #ownership: Ownership | undefined;
  #refusal: StoreError | undefined;
  #trying: Promise<void> | undefined;
  #isReleased = false;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  /** Throws a StoreError for a folder that another process has claimed. */
  static async take(folder: string, warn: (message: string) => void): Promise<FolderClaim> {
    const claim = new FolderClaim(folder);
    await claim.#try();
    if (claim.#refusal && !refusesWrites(claim.#refusal.cause)) throw claim.#refusal;
    if (claim.#refusal) warn(`${claim.#refusal.message}: what is there is only read until that is possible`);
    return claim;
  }

  /** Throws while the folder is not claimed, and tries again: a later write may find it claimed. */
  assertHeld(): void {
    if (this.#ownership) return;
    this.#trying ??= this.#try().finally(() => (this.#trying = undefined));
    throw this.#refusal ?? new StoreError(`data folder ${this.#folder} is not claimed`);
  }

  async release(): Promise<void> {
    this.#isReleased = true;
    await this.#trying;
    await this.#ownership?.release();
  }

  async #try(): Promise<void> {
    try {
      const ownership = await takeOwnership(this.#folder);
      if (this.#isReleased) await ownership.release();
      else this.#ownership = ownership;
    } catch (thrown) {
      this.#refusal = thrown as StoreError;
    }
  }
}
