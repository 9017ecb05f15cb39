import { writtenDuration } from '@understudy/text/duration';
import { counted } from '@understudy/text/words';

const WIDTH = 24;

/** Says how far a sweep is: in one line of a terminal, or in a line for each tenth elsewhere. */
export class Progress {
  readonly #total: number;
  readonly #write: (text: string) => void;
  readonly #isTerminal: boolean;
  readonly #start = performance.now();
  #done = 0;
  #told = 0;

  constructor(total: number, write: (text: string) => void, isTerminal: boolean) {
    this.#total = total;
    this.#write = write;
    this.#isTerminal = isTerminal;
  }

  add(cases: number, faults: number): void {
    this.#done += cases;
    const left = ((performance.now() - this.#start) / this.#done) * (this.#total - this.#done);
    const text = `${this.#done} of ${counted(this.#total, 'case')}, ${counted(faults, 'fault')}, about ${writtenDuration(left)} left`;
    if (this.#isTerminal) {
      const filled = Math.round((WIDTH * this.#done) / this.#total);
      this.#write(`\r[${'#'.repeat(filled).padEnd(WIDTH, '.')}] ${text}\x1b[K`);
    } else if (this.#done * 10 >= (this.#told + 1) * this.#total) {
      this.#told = Math.floor((this.#done * 10) / this.#total);
      this.#write(`${text}\n`);
    }
  }

  end(): void {
    if (this.#isTerminal && this.#done > 0) this.#write('\n');
  }
}
