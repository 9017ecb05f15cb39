import type { FieldViolation } from '../errors.ts';
import { stopwatch } from '../world/clock.ts';
import type { Decision } from '../scenarios/decision.ts';
import { patchOf } from './json-patch.ts';
import { redact, redactPatch } from './redaction.ts';
import type { RowChange } from './work.ts';

export interface RecordedRequest {
  protocol: string;
  method: string;
  path: string;
  query: Readonly<Record<string, unknown>>;
  headers: Readonly<Record<string, unknown>>;
  size: number;
}

export interface RecordedReply {
  status: number;
  headers: Readonly<Record<string, unknown>>;
  body: unknown;
  text: string | undefined;
}

/** What is known of one call by the time it is answered. */
export interface Findings {
  operation?: string;
  /** Its name with the number of the path that was called. */
  binding?: string;
  body?: unknown;
  violations?: readonly FieldViolation[];
  unknown?: readonly string[];
  /** How our answer broke the contract. */
  response?: string;
  /** What the scenarios made of it; absent when no rule listens to the operation. */
  decision?: Decision;
  /** What went wrong on the way to the caller. */
  fault?: object;
  changes?: readonly RowChange[];
  /** The inner cause of a failure of ours; never sent. */
  cause?: unknown;
}

/** Told of a closed entry, and of how many bytes its answer adds to the journal. */
type OnClosed = (entry: Entry, bytes: number) => void;

/** One call and its answer. What only a look at the journal needs is made when it is looked at. */
export class Entry {
  readonly id: string;
  readonly #time: number;
  readonly #elapsed = stopwatch();
  readonly #request: RecordedRequest;
  readonly #findings: Findings = {};
  readonly #onClosed: OnClosed;
  #reply: RecordedReply | undefined;
  #replySize = 0;
  #duration = 0;

  constructor(id: string, time: number, request: RecordedRequest, onClosed: OnClosed) {
    this.id = id;
    this.#time = time;
    this.#request = request;
    this.#onClosed = onClosed;
  }

  get operation(): string | undefined {
    return this.#findings.operation;
  }

  get binding(): string | undefined {
    return this.#findings.binding;
  }

  get method(): string {
    return this.#request.method;
  }

  get path(): string {
    return this.#request.path;
  }

  /** A scenario has answered with what the contract does not promise. */
  get violated(): boolean {
    return this.#reply?.headers['understudy-contract'] === 'violated';
  }

  get unknown(): readonly string[] {
    return this.#findings.unknown ?? [];
  }

  get request(): RecordedRequest {
    return this.#request;
  }

  /** As it was read. */
  get body(): unknown {
    return this.#findings.body;
  }

  /** Absent as long as there is no answer, and when the caller was sent none. */
  get status(): number | undefined {
    return this.#reply?.status || undefined;
  }

  /** A rough figure in bytes, for the journal's bound. */
  get size(): number {
    return 500 + this.#request.size + this.#replySize;
  }

  note(findings: Findings): void {
    Object.assign(this.#findings, findings);
  }

  close<T extends RecordedReply>(reply: T): T {
    this.#reply = reply;
    this.#duration = this.#elapsed();
    this.#replySize = reply.text?.length ?? 0;
    this.#onClosed(this, this.#replySize);
    return reply;
  }

  /** As the control API shows it: secrets are replaced. */
  view(environment: string): Record<string, unknown> {
    const { protocol, method, path, query, headers } = this.#request;
    const { operation, body, violations = [], unknown = [], response, changes = [], cause } = this.#findings;
    return defined({
      id: this.id,
      environment,
      time: new Date(this.#time).toISOString(),
      protocol,
      method,
      path,
      operation,
      status: this.status,
      duration_ms: this.#duration,
      request: redact(defined({ headers, query, body })),
      response: redact(defined({ headers: this.#reply?.headers ?? {}, body: this.#reply?.body })),
      validation: defined({ violations, unknown, response }),
      scenario: this.#findings.decision?.view(redact) ?? { considered: [] },
      fault: this.#findings.fault,
      changes: redactPatch(patchOf(changes)),
      error: cause === undefined ? undefined : told(cause),
    });
  }
}

const defined = (members: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(members).filter(([, member]) => member !== undefined));

const told = (cause: unknown) =>
  cause instanceof Error ? (cause.stack ?? cause.message) : JSON.stringify(cause);

const MOST_ENTRIES = 1000;
const MOST_BYTES = 4_000_000;

/** Every call and its answer, in order, within a bound: the oldest go first. */
export class Journal {
  #entries: Entry[] = [];
  #opened = 0;
  #bytes = 0;
  readonly #onClosed: OnClosed;

  constructor(tell: (entry: Entry) => void) {
    this.#onClosed = (entry, bytes) => {
      this.#bytes += bytes;
      tell(entry);
    };
  }

  /** `now`: milliseconds on the environment's clock. */
  open(request: RecordedRequest, now: number): Entry {
    this.#opened += 1;
    const entry = new Entry(`req_${this.#opened}`, now, request, this.#onClosed);
    this.#entries.push(entry);
    this.#bytes += entry.size;
    if (this.#entries.length > 2 * MOST_ENTRIES || this.#bytes > 2 * MOST_BYTES) this.#trim();
    return entry;
  }

  /** Oldest first; after the entry of that id, where one is given. */
  list(since?: string): Entry[] {
    this.#trim();
    return this.#entries.slice(
      since === undefined ? 0 : this.#entries.findIndex(({ id }) => id === since) + 1,
    );
  }

  find(id: string): Entry | undefined {
    return this.list().find((entry) => entry.id === id);
  }

  clear(): void {
    this.#entries = [];
    this.#bytes = 0;
  }

  /** As at the start: the ids count from one again. */
  reset(): void {
    this.clear();
    this.#opened = 0;
  }

  #trim(): void {
    let start = Math.max(0, this.#entries.length - MOST_ENTRIES);
    let bytes = this.#entries.slice(start).reduce((sum, { size }) => sum + size, 0);
    while (bytes > MOST_BYTES && start < this.#entries.length) bytes -= this.#entries[start++]!.size;
    this.#entries = this.#entries.slice(start);
    this.#bytes = bytes;
  }
}
