import type { Collections } from '../store/change-log.ts';
import type { ClockSettings } from '../world/clock.ts';
import { Clock } from '../world/clock.ts';
import { digestOf, type FixtureRequest } from './fixture-files.ts';
import { loadFixture, readFixture, type FixtureSource } from './fixtures.ts';
import { Seed } from './seeds.ts';

const MOST = 16;

/**
 * Fixtures read once and shared by all environments that start from them at the same time. `now` in a fixture is when
 * the process started, unless an environment has a clock of its own.
 */
export class FixtureShelf {
  readonly #source: FixtureSource;
  readonly #standard: string;
  readonly #started: number;
  readonly #seeds = new Map<string, Seed>();

  constructor(source: FixtureSource, standard: string, started: number) {
    this.#source = source;
    this.#standard = standard;
    this.#started = started;
  }

  /** The rows of default's fixture, for the person who starts the process. Throws FixtureError. */
  standard(): Seed {
    return this.#seed(undefined, undefined, { asker: 'command line', mayBePath: true });
  }

  /** The rows of a fixture of that name; without a name, of default's fixture. Throws FixtureError. */
  seed(name: string | undefined, clock?: ClockSettings): Seed {
    return this.#seed(name, clock, { asker: 'control API', mayBePath: name === undefined });
  }

  #seed(name: string | undefined, clock: ClockSettings | undefined, request: FixtureRequest): Seed {
    const now = clock === undefined || clock.mode === 'real' ? this.#started : new Clock(clock).now();
    const key = `${name ?? ''} ${now}`; // no name is empty
    const known = this.#seeds.get(key);
    if (known) return known;
    const seed = new Seed(loadFixture(name ?? this.#standard, now, this.#source, request));
    const oldest = this.#seeds.keys().next();
    if (this.#seeds.size >= MOST && !oldest.done) this.#seeds.delete(oldest.value);
    this.#seeds.set(key, seed);
    return seed;
  }

  /** Changes when the rows of default's fixture change. Reads its files. */
  digest(): string {
    return digestOf(JSON.stringify(loadFixture(this.#standard, 0, this.#source)));
  }

  /** A fixture that someone has sent. Throws FixtureError. */
  read(fixture: unknown, now: number): Collections {
    return readFixture(fixture, 'fixture', now, this.#source);
  }

  /** Files may have changed: the next seed is read anew. */
  forget(): void {
    this.#seeds.clear();
  }
}
