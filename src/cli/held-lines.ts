const LONGEST_WAIT = 50;
const MOST_HELD = 16_384;

/** What somebody must learn at once, even when the process is killed right after, does not wait. */
const MAY_WAIT = /^(info|debug): /;

/** Writes lines together: a request log that writes each by itself costs a call of the system for every request. */
export class HeldLines {
  readonly #write: (text: string) => void;
  #held = '';
  #timer: NodeJS.Timeout | undefined;

  constructor(write: (text: string) => void) {
    this.#write = write;
  }

  readonly add = (line: string): void => {
    this.#held += line;
    if (this.#held.length >= MOST_HELD || !MAY_WAIT.test(line)) this.flush();
    else this.#timer ??= setTimeout(this.flush, LONGEST_WAIT).unref();
  };

  /** To be called when the process ends, too. */
  readonly flush = (): void => {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const text = this.#held;
    this.#held = '';
    if (text !== '') this.#write(text);
  };
}
