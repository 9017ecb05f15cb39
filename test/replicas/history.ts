import { ORGANIZATION, type Organization, type OrganizationCall } from './organization-model.ts';
import { check, type Operation, type Outcome } from './linearizability.ts';

/** All organizations of an environment, by external id. A list reads all of them at one moment. */
export type Listed = ReadonlyMap<string, Organization>;

type Recorded = Operation<OrganizationCall> & { replica: number };

interface RecordedList {
  invoked: number;
  completed: number;
  rows: Listed;
  replica: number;
}

/** Numbers all events of the run in the order in which this process sees them. */
export class Order {
  #last = 0;

  next(): number {
    return (this.#last += 1);
  }
}

/** What the callers of one environment saw. */
export class History {
  readonly environment: string;
  readonly #calls = new Map<string, Recorded[]>();
  readonly #lists: RecordedList[] = [];
  /** Answers that the model does not allow. */
  readonly surprises: string[] = [];

  constructor(environment: string) {
    this.environment = environment;
  }

  get size(): number {
    return [...this.#calls.values()].reduce((sum, calls) => sum + calls.length, this.#lists.length);
  }

  get unknown(): number {
    return [...this.#calls.values()].flat().filter(({ completed }) => completed === Infinity).length;
  }

  add(externalId: string, call: Recorded): void {
    const calls = this.#calls.get(externalId) ?? [];
    this.#calls.set(externalId, calls);
    calls.push(call);
  }

  addList(list: RecordedList): void {
    this.#lists.push(list);
  }

  /** One line for each external id whose calls have no order. */
  violations(): string[] {
    return [...this.#calls.keys()].flatMap((externalId) => {
      const outcome = check(ORGANIZATION, this.#operationsOn(externalId));
      return outcome.linearizable ? [] : [this.#describe(externalId, outcome)];
    });
  }

  #operationsOn(externalId: string): Recorded[] {
    const calls = this.#calls.get(externalId)!;
    const first = Math.min(...calls.map(({ invoked }) => invoked));
    const reads = this.#lists
      .filter(({ completed }) => completed > first)
      .map(({ rows, ...times }): Recorded => {
        return { ...times, input: { call: 'read', result: rows.get(externalId) ?? 'absent' } };
      });
    return withoutUnseen([...calls, ...reads]);
  }

  #describe(
    externalId: string,
    { longest, stuck }: Exclude<Outcome<OrganizationCall>, { linearizable: true }>,
  ) {
    const lines = [...longest.slice(-8), stuck].map((operation) => `  ${shown(operation as Recorded)}`);
    return [
      `environment ${this.environment}, external id ${externalId}: the last call fits nowhere behind the others`,
      ...lines,
    ].join('\n');
  }
}

/**
 * An update without an answer whose value nobody has seen is as good as one that never happened, and each that is left out
 * halves the search.
 */
function withoutUnseen(operations: Recorded[]): Recorded[] {
  const seen = new Set(
    operations.map(({ input }) =>
      input.call === 'read' && input.result !== 'absent' ? input.result.value : undefined,
    ),
  );
  return operations.filter(
    ({ completed, input }) => completed !== Infinity || input.call !== 'update' || seen.has(input.value),
  );
}

const shown = ({ invoked, completed, replica, input }: Recorded): string =>
  `${invoked}–${completed === Infinity ? '?' : completed} by replica ${replica}: ${JSON.stringify(input)}`;
