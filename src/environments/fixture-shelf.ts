import type { Collections } from '../store/change-log.ts';
import type { ClockSettings } from '../world/clock.ts';
import { Clock } from '../world/clock.ts';
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

  /** The seed of a fixture by name, of default's fixture without one. Throws FixtureError. */
  seed(name: string = this.#standard, clock?: ClockSettings): Seed {
    const now = clock === undefined || clock.mode === 'real' ? this.#started : new Clock(clock).now();
    const key = `${name} ${now}`;
    const known = this.#seeds.get(key);
    if (known) return known;
    const seed = new Seed(loadFixture(name, now, this.#source));
    const oldest = this.#seeds.keys().next();
    if (this.#seeds.size >= MOST && !oldest.done) this.#seeds.delete(oldest.value);
    this.#seeds.set(key, seed);
    return seed;
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
