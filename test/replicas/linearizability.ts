/** One call of a history. `invoked` and `completed` are positions in the one order of all events of the run. */
export interface Operation<I> {
  invoked: number;
  /** Infinity: nobody knows whether the operation has taken effect, or whether it still will. */
  completed: number;
  input: I;
}

/** What an object does, one operation after the other. */
export interface Model<S, I> {
  initial: S;
  /** The state after the operation; undefined if the operation cannot have had its result in this state. */
  step(state: S, input: I): S | undefined;
  /** Equal for equal states. */
  key(state: S): string;
}

export type Outcome<I> =
  | { linearizable: true }
  /** `longest`: the longest order that was found, without the operation `stuck`, which fits nowhere behind it. */
  | { linearizable: false; longest: Operation<I>[]; stuck: Operation<I> };

/**
 * Searches for an order of the operations that respects real time and the model: the algorithm of Wing and Gong with the
 * cache of Lowe. Operations without a known result may be in the order or not.
 */
export function check<S, I>(model: Model<S, I>, operations: readonly Operation<I>[]): Outcome<I> {
  return new Search(model, operations).run();
}

/** The beginning or the end of an operation, in a doubly linked list in the order of time. */
interface Event<I> {
  operation: Operation<I>;
  /** The bit of the operation in the set of those that are in the order. */
  bit: bigint;
  at: number;
  /** Of a beginning: its end, if the operation has one. */
  end: Event<I> | undefined;
  isEnd: boolean;
  before: Event<I> | undefined;
  after: Event<I> | undefined;
}

class Search<S, I> {
  readonly #model: Model<S, I>;
  readonly #head: Event<I>;
  readonly #order: { event: Event<I>; state: S }[] = [];
  /** Sets of operations with the states that they led to: each is tried once. */
  readonly #tried = new Set<string>();
  #state: S;
  #done = 0n;
  #longest: Operation<I>[] = [];
  #stuck: Operation<I> | undefined;

  constructor(model: Model<S, I>, operations: readonly Operation<I>[]) {
    this.#model = model;
    this.#state = model.initial;
    this.#head = listOf(operations);
  }

  run(): Outcome<I> {
    let event = this.#head.after;
    while (event) {
      if (!event.isEnd) event = this.#take(event) ? this.#head.after : event.after;
      else {
        // This operation must have happened by now.
        this.#note(event.operation);
        const last = this.#takeBack();
        if (!last) return { linearizable: false, longest: this.#longest, stuck: this.#stuck! };
        event = last.after;
      }
    }
    return { linearizable: true };
  }

  /** Puts the operation next, unless it cannot be next or that has been tried. */
  #take(event: Event<I>): boolean {
    const next = this.#model.step(this.#state, event.operation.input);
    if (next === undefined) return false;
    const done = this.#done | event.bit;
    const tried = `${done.toString(36)} ${this.#model.key(next)}`;
    if (this.#tried.has(tried)) return false;
    this.#tried.add(tried);
    this.#order.push({ event, state: this.#state });
    [this.#state, this.#done] = [next, done];
    unlink(event);
    if (event.end) unlink(event.end);
    return true;
  }

  #takeBack(): Event<I> | undefined {
    const last = this.#order.pop();
    if (!last) return undefined;
    const { event, state } = last;
    [this.#state, this.#done] = [state, this.#done & ~event.bit];
    if (event.end) relink(event.end);
    relink(event);
    return event;
  }

  #note(stuck: Operation<I>): void {
    if (this.#stuck && this.#order.length <= this.#longest.length) return;
    this.#longest = this.#order.map(({ event }) => event.operation);
    this.#stuck = stuck;
  }
}

/** The events in the order of time, behind a head that is none of them. */
function listOf<I>(operations: readonly Operation<I>[]): Event<I> {
  const events = operations.flatMap((operation, index) => eventsOf(operation, 1n << BigInt(index)));
  // An operation that begins at the time at which another one ends runs beside it.
  events.sort((a, b) => a.at - b.at || Number(a.isEnd) - Number(b.isEnd));
  const head = { ...eventsOf(NOTHING as Operation<I>, 0n)[0]!, after: events[0] };
  for (const [index, event] of events.entries()) {
    event.before = events[index - 1] ?? head;
    event.after = events[index + 1];
  }
  return head;
}

const NOTHING = { invoked: -Infinity, completed: Infinity, input: undefined };

function eventsOf<I>(operation: Operation<I>, bit: bigint): Event<I>[] {
  const { invoked, completed } = operation;
  const none = { operation, bit, end: undefined, before: undefined, after: undefined };
  const end: Event<I> = { ...none, at: completed, isEnd: true };
  const hasEnd = completed !== Infinity;
  const begin: Event<I> = { ...none, at: invoked, isEnd: false, end: hasEnd ? end : undefined };
  return hasEnd ? [begin, end] : [begin];
}

function unlink<I>({ before, after }: Event<I>): void {
  before!.after = after;
  if (after) after.before = before;
}

/** Events come back in the opposite order in which they went, so that their neighbours are right. */
function relink<I>(event: Event<I>): void {
  event.before!.after = event;
  if (event.after) event.after.before = event;
}
