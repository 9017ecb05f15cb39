import process from 'node:process';
import { invalidArgument } from '../contract/errors.ts';
import { parseSignedDuration } from '@understudy/text/duration';

type ClockMode = 'real' | 'frozen' | 'offset';

/** `at`: the time of a frozen clock; `offset_ms`: what is added to the machine's time. */
export interface ClockSettings {
  mode: ClockMode;
  at?: string;
  offset_ms?: number;
}

/** A clock as people write it: `offset` is a signed duration. */
export interface WrittenClock {
  mode: ClockMode;
  at?: string;
  offset?: string;
}

export function readClock({ mode, at, offset }: WrittenClock): ClockSettings {
  const distance = parseSignedDuration(offset ?? '');
  return {
    mode,
    ...(at !== undefined && { at }),
    ...(distance !== undefined && { offset_ms: distance }),
  };
}

/** RFC 3339 ends with the year 9999, and handlers add days to the current time. */
const EARLIEST = Date.parse('1970-01-01T00:00:00Z');
const LATEST = Date.parse('9000-01-01T00:00:00Z');

/** The time of one environment. Only this file reads the machine's clock. */
export class Clock {
  #mode: ClockMode = 'real';
  #at = 0;
  #offset = 0;
  /** Changes when the clock is set or moved. */
  version = 0;

  constructor(settings: ClockSettings = { mode: 'real' }) {
    this.set(settings);
  }

  /** Milliseconds since 1970. */
  now(): number {
    return this.#mode === 'frozen' ? this.#at : Date.now() + this.#offset;
  }

  moment(): Moment {
    return new Moment(this.now());
  }

  get isFrozen(): boolean {
    return this.#mode === 'frozen';
  }

  /** Throws `invalid_argument` for a time outside the range; the clock then stays as it is. */
  set({ mode, at, offset_ms = 0 }: ClockSettings): void {
    const machine = Date.now();
    const fallback = mode === 'frozen' ? this.now() : machine + offset_ms;
    const time = checkedTime(at === undefined ? fallback : Date.parse(at), at);
    this.version += 1;
    this.#mode = mode;
    this.#at = mode === 'frozen' ? time : 0;
    this.#offset = mode === 'offset' ? time - machine : 0;
  }

  /** A frozen clock stays frozen; a real clock becomes `offset`. */
  advance(distance: number): void {
    checkedTime(this.now() + distance);
    this.version += 1;
    if (this.#mode === 'frozen') this.#at += distance;
    else {
      this.#mode = 'offset';
      this.#offset += distance;
    }
  }

  /** The value of the header `Date` (RFC 9110 5.6.7); undefined for the machine's own time. */
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

function checkedTime(time: number, written?: string): number {
  if (time >= EARLIEST && time < LATEST) return time;
  throw invalidArgument(
    `the clock can be set to the years 1970 to 8999, not to ${written ?? 'a time so far from now'}`,
  );
}

/** The one instant of a unit of work: everything that the unit writes carries the same time. */
export class Moment {
  readonly ms: number;
  #iso: string | undefined;

  constructor(ms: number) {
    this.ms = ms;
  }

  iso(): string {
    return (this.#iso ??= new Date(this.ms).toISOString());
  }

  /** RFC 3339; `distance` in milliseconds. */
  after(distance: number): string {
    return new Date(this.ms + distance).toISOString();
  }

  isPast(time: string): boolean {
    return Date.parse(time) <= this.ms;
  }
}

/** Real milliseconds that never go back. `performance.now` is as fast, but its first call loads much of Node. */
export function uptime(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1000 + nanoseconds / 1_000_000;
}

/** The machine's time at an uptime of 0. It is read once, so that a moment has one time. */
const ORIGIN = Date.now() - uptime();

/** Milliseconds since 1970 on the machine's clock at this uptime. */
export const timeAt = (moment: number): number => Math.round(ORIGIN + moment);

export const uptimeAt = (time: number): number => time - ORIGIN;

/** Milliseconds since 1970 on the machine's clock, for values that others compare with their own clock. */
export const machineTime = (): number => Date.now();
