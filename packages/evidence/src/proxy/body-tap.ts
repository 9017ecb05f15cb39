/** The most bytes of one body that are kept, compressed or not: the service takes no more. */
export const BODY_LIMIT = 1_000_000;
/** The most bytes that all calls in flight keep. */
const TOTAL_LIMIT = 100_000_000;

let total = 0;

/** Keeps what passes by. A body over the limit is only counted. */
export class BodyTap {
  #chunks: Buffer[] | undefined = [];
  size = 0;

  readonly take = (chunk: Buffer): void => {
    this.size += chunk.length;
    if (!this.#chunks) return;
    total += chunk.length;
    this.#chunks.push(chunk);
    if (this.size > BODY_LIMIT || total > TOTAL_LIMIT) this.#drop();
  };

  /** The whole body, once. Undefined if it was too large. */
  finish(): Buffer | undefined {
    const body = this.#chunks && Buffer.concat(this.#chunks);
    this.#drop();
    return body;
  }

  #drop(): void {
    total -= this.#chunks?.reduce((sum, { length }) => sum + length, 0) ?? 0;
    this.#chunks = undefined;
  }
}
