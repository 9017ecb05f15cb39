const LONGEST_WAIT = 50;
const LARGEST_BUFFER = 16_384;

/** All other lines are written at once, so that they are not lost if the process is killed. */
const MAY_WAIT = /^(?:(?:info|debug): |\{"level":"(?:info|debug)")/;

/** Writes lines in batches: one system call per request would be slow. */
export class LineBuffer {
  readonly #write: (text: string) => void;
  #held = '';
  #timer: NodeJS.Timeout | undefined;

  constructor(write: (text: string) => void) {
    this.#write = write;
  }

  readonly add = (line: string): void => {
    this.#held += line;
    if (this.#held.length >= LARGEST_BUFFER || !MAY_WAIT.test(line)) this.flush();
    else this.#timer ??= setTimeout(this.flush, LONGEST_WAIT).unref();
  };

  /** Must also be called when the process ends. */
  readonly flush = (): void => {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const text = this.#held;
    this.#held = '';
    if (text !== '') this.#write(text);
  };
}
