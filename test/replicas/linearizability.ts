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
  /** `longest`: the longest order that was found; the operation `stuck` fits nowhere after it. */
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
  /** The number of the operation. */
  index: number;
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
  readonly #done: Members;
  #state: S;
  #longest: Operation<I>[] = [];
  #stuck: Operation<I> | undefined;

  constructor(model: Model<S, I>, operations: readonly Operation<I>[]) {
    this.#model = model;
    this.#state = model.initial;
    this.#head = listOf(operations);
    this.#done = new Members(operations);
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
    // Without an effect it may as well stay out of the order.
    if (!event.end && this.#model.key(next) === this.#model.key(this.#state)) return false;
    this.#done.add(event.index);
    const tried = `${this.#done.key()} ${this.#model.key(next)}`;
    if (this.#tried.has(tried)) {
      this.#done.delete(event.index);
      return false;
    }
    this.#tried.add(tried);
    this.#order.push({ event, state: this.#state });
    this.#state = next;
    unlink(event);
    if (event.end) unlink(event.end);
    return true;
  }

  #takeBack(): Event<I> | undefined {
    const last = this.#order.pop();
    if (!last) return undefined;
    const { event, state } = last;
    this.#state = state;
    this.#done.delete(event.index);
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

/**
 * Which operations are in the order. Of those with an end, nearly all up to some number are, so that the key stays short; those
 * without one are few.
 */
class Members {
  readonly #has: Uint8Array;
  /** How many operations have an end. */
  readonly #ended: number;
  /** All below are members. */
  #first = 0;
  /** No member with an end is above. */
  #last = -1;

  constructor(operations: readonly Operation<unknown>[]) {
    this.#has = new Uint8Array(operations.length);
    this.#ended = operations.filter(hasEnd).length;
  }

  add(index: number): void {
    this.#has[index] = 1;
    while (this.#first < this.#ended && this.#has[this.#first] === 1) this.#first += 1;
    if (index < this.#ended) this.#last = Math.max(this.#last, index);
  }

  delete(index: number): void {
    this.#has[index] = 0;
    this.#first = Math.min(this.#first, index);
    while (this.#last >= 0 && this.#has[this.#last] === 0) this.#last -= 1;
  }

  /** Equal for equal sets. */
  key(): string {
    const key = [this.#first];
    const addFrom = (start: number, end: number) => {
      for (let index = start; index < end; index += 1) if (this.#has[index] === 1) key.push(index);
    };
    addFrom(this.#first + 1, this.#last + 1);
    addFrom(this.#ended, this.#has.length);
    return key.join();
  }
}

const hasEnd = ({ completed }: Operation<unknown>) => completed !== Infinity;

/** First the operations with an end, then the others. */
const numbered = <I>(operations: readonly Operation<I>[]): Operation<I>[] => [
  ...operations.filter(hasEnd).toSorted((a, b) => a.invoked - b.invoked),
  ...operations.filter((operation) => !hasEnd(operation)),
];

/** The events in the order of time, behind a head that is none of them. */
function listOf<I>(operations: readonly Operation<I>[]): Event<I> {
  const events = numbered(operations).flatMap(eventsOf);
  // An operation that begins at the time at which another one ends runs beside it.
  events.sort((a, b) => a.at - b.at || Number(a.isEnd) - Number(b.isEnd));
  const head = { ...eventsOf(NOTHING as Operation<I>, -1)[0]!, after: events[0] };
  for (const [index, event] of events.entries()) {
    event.before = events[index - 1] ?? head;
    event.after = events[index + 1];
  }
  return head;
}

const NOTHING = { invoked: -Infinity, completed: Infinity, input: undefined };

function eventsOf<I>(operation: Operation<I>, index: number): Event<I>[] {
  const { invoked, completed } = operation;
  const none = { operation, index, end: undefined, before: undefined, after: undefined };
  const end: Event<I> = { ...none, at: completed, isEnd: true };
  const begin: Event<I> = { ...none, at: invoked, isEnd: false, end: hasEnd(operation) ? end : undefined };
  return hasEnd(operation) ? [begin, end] : [begin];
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
