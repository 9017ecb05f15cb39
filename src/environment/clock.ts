import { invalidArgument } from '../errors.ts';

export type ClockMode = 'real' | 'frozen' | 'offset';

/** What a clock is set to: `at` where it stands frozen, `offset_ms` what it adds to the machine's time. */
export interface ClockSettings {
  mode: ClockMode;
  at?: string;
  offset_ms?: number;
}

/** Beyond the year 9999 RFC 3339 has no words; handlers add days to the time that it is. */
const EARLIEST = Date.parse('1970-01-01T00:00:00Z');
const LATEST = Date.parse('9000-01-01T00:00:00Z');

/** The time of one environment. This file alone reads the machine's clock. */
export class Clock {
  #mode: ClockMode = 'real';
  #at = 0;
  #offset = 0;

  constructor(settings: ClockSettings = { mode: 'real' }) {
    this.set(settings);
  }

  /** Milliseconds since 1970. */
  now(): number {
    return this.#mode === 'frozen' ? this.#at : Date.now() + this.#offset;
  }

  /** Whether it moves only when it is set. */
  get isFrozen(): boolean {
    return this.#mode === 'frozen';
  }

  /** Throws `invalid_argument` for a time that it can not show; then it stays as it is. */
  set({ mode, at, offset_ms = 0 }: ClockSettings): void {
    const machine = Date.now();
    const fallback = mode === 'frozen' ? this.now() : machine + offset_ms;
    const time = shown(at === undefined ? fallback : Date.parse(at), at);
    this.#mode = mode;
    this.#at = mode === 'frozen' ? time : 0;
    this.#offset = mode === 'offset' ? time - machine : 0;
  }

  /** A frozen clock stays frozen; a real one becomes `offset`. */
  advance(distance: number): void {
    shown(this.now() + distance);
    if (this.#mode === 'frozen') this.#at += distance;
    else {
      this.#mode = 'offset';
      this.#offset += distance;
    }
  }

  /** What the header `Date` says (RFC 9110 5.6.7); undefined where that is the machine's own time. */
  httpDate(): string | undefined {
    return this.#mode === 'real' ? undefined : new Date(this.now()).toUTCString();
  }

  settings(): ClockSettings {
    if (this.#mode === 'frozen') return { mode: 'frozen', at: new Date(this.#at).toISOString() };
    return this.#mode === 'offset' ? { mode: 'offset', offset_ms: this.#offset } : { mode: 'real' };
  }

  view(): { mode: ClockMode; now: string; offset_ms: number } {
    const now = this.now();
    const offset = this.#mode === 'frozen' ? now - Date.now() : this.#offset;
    return { mode: this.#mode, now: new Date(now).toISOString(), offset_ms: offset };
  }
}

function shown(time: number, written?: string): number {
  if (time >= EARLIEST && time < LATEST) return time;
  throw invalidArgument(`a clock shows the years 1970 to 8999, not ${written ?? 'a time so far from now'}`);
}

/** The one instant of a unit of work: all that it writes carries the same time. */
export class Moment {
  readonly ms: number;
  #iso: string | undefined;

  constructor(ms: number) {
    this.ms = ms;
  }

  iso(): string {
    return (this.#iso ??= new Date(this.ms).toISOString());
  }

  /** RFC 3339, that many milliseconds from now. */
  after(distance: number): string {
    return new Date(this.ms + distance).toISOString();
  }

  isPast(time: string): boolean {
    return Date.parse(time) <= this.ms;
  }
}

/** Real milliseconds that never go back, whatever any clock is set to. */
export const uptime = (): number => performance.now();

/** Milliseconds since 1970 on the clock of the machine: for what others compare with theirs, whatever an environment's says. */
export const machineTime = (): number => Date.now();

interface ClockParts {
  clock: Clock;
  /** Writes the new time down. Throws where it can not be kept. */
  keep: () => void;
  /** Lets happen what is due by now. */
  settle: () => void;
  /** Something else is due next than was. */
  rearm: () => void;
}

/** Moves the clock of one environment: the new time is in the log before anything is due by it. */
export class ClockMoves {
  readonly #parts: ClockParts;

  constructor(parts: ClockParts) {
    this.#parts = parts;
  }

  /** Where the new time can not be kept the clock stays as it is. */
  move(change: (clock: Clock) => void): void {
    const { clock, keep } = this.#parts;
    const before = clock.settings();
    change(clock);
    try {
      keep();
    } catch (thrown) {
      this.turnBack(before);
      throw thrown;
    }
    this.#happen();
  }

  /** As `move`, by somebody who has set the clock, and turns it back when this throws. */
  moved(): void {
    this.#parts.keep();
    this.#happen();
  }

  settle(): void {
    this.#parts.settle();
  }

  /** Puts the clock where it was: nothing has happened. */
  turnBack(before: ClockSettings): void {
    this.#parts.clock.set(before);
    this.#parts.rearm();
  }

  #happen(): void {
    this.#parts.settle();
    this.#parts.rearm();
  }
}
