import type { Entry } from '@understudy/core/journal/entry';
import { isObject, jsonIn } from '@understudy/text/json';
import type { Correspondence } from './correspondence.ts';

/** Where two answers differ. */
export interface AnswerDifference {
  /** Such as `status` or `body.organization.display_name`. */
  place: string;
  was: unknown;
  is: unknown;
}

interface Tolerance {
  /** Milliseconds by which times may differ, because the clock ran. */
  time: number;
  /** Whether messages of errors may differ, because another version wrote them. */
  messages: boolean;
}

/** The headers that say something to a client. */
const HEADERS = ['content-type', 'location', 'retry-after', 'www-authenticate'];

type Answer = Pick<Entry, 'status' | 'replyHeaders' | 'replyText'>;

/** The first difference; undefined if the answers say the same. Learns secrets and ids from them. */
export function differenceBetween(
  then: Answer,
  now: Answer,
  known: Correspondence,
  tolerance: Tolerance,
): AnswerDifference | undefined {
  if (then.status !== now.status) return { place: 'status', was: then.status, is: now.status };
  const compare = new Comparison(known, tolerance, (then.status ?? 0) >= 400);
  for (const name of HEADERS) {
    const [before, after] = [then.replyHeaders?.[name], now.replyHeaders?.[name]];
    const found = compare.values(`header ${name}`, before, after);
    if (found) return found;
  }
  compare.cookies(then.replyHeaders?.['set-cookie'], now.replyHeaders?.['set-cookie']);
  // The contract promises no markup.
  if (String(then.replyHeaders?.['content-type']).includes('html')) return undefined;
  return compare.values('body', bodyOf(then), bodyOf(now));
}

const bodyOf = ({ replyText }: Answer): unknown =>
  replyText === undefined ? undefined : (jsonIn(replyText) ?? replyText);

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;

class Comparison {
  readonly #known: Correspondence;
  readonly #tolerance: Tolerance;
  readonly #isError: boolean;

  constructor(known: Correspondence, tolerance: Tolerance, isError: boolean) {
    this.#known = known;
    this.#tolerance = tolerance;
    this.#isError = isError;
  }

  values(place: string, then: unknown, now: unknown): AnswerDifference | undefined {
    if (typeof then === 'string' && typeof now === 'string')
      return this.#texts(then, now) ? undefined : { place, was: then, is: now };
    if (typeof then === 'number' && typeof now === 'number')
      return this.#numbers(then, now) ? undefined : { place, was: then, is: now };
    if (Array.isArray(then) && Array.isArray(now) && then.length === now.length)
      return first(then.keys(), (index) => this.values(`${place}[${index}]`, then[index], now[index]));
    if (isObject(then) && isObject(now)) {
      const names = new Set([...Object.keys(then), ...Object.keys(now)]);
      return first(names, (name) => this.#member(place, name, then[name], now[name]));
    }
    return then === now ? undefined : { place, was: then, is: now };
  }

  /** They are not compared, because their attributes depend on times. */
  cookies(then: unknown, now: unknown): void {
    if (!Array.isArray(then) || !Array.isArray(now)) return;
    for (const [index, cookie] of then.entries())
      this.#known.match(String(cookie).split(';')[0]!, String(now[index]).split(';')[0]!);
  }

  #member(place: string, name: string, then: unknown, now: unknown): AnswerDifference | undefined {
    const isMessage = this.#isError && (name === 'message' || name === 'error_description');
    if (isMessage && this.#tolerance.messages) return undefined;
    return this.values(`${place}.${name}`, then, now);
  }

  #texts(then: string, now: string): boolean {
    if (then === now || this.#known.match(then, now)) return true;
    if (TIME.test(then) && TIME.test(now))
      return Math.abs(Date.parse(then) - Date.parse(now)) <= this.#tolerance.time;
    return false;
  }

  #numbers(then: number, now: number): boolean {
    // Seconds of a lifetime.
    return then === now || (this.#tolerance.time > 0 && Math.abs(then - now) <= 1);
  }
}

function first<T>(
  items: Iterable<T>,
  look: (item: T) => AnswerDifference | undefined,
): AnswerDifference | undefined {
  for (const item of items) {
    const found = look(item);
    if (found) return found;
  }
  return undefined;
}
