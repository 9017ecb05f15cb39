import type { AnswerHeaders } from '../../text/json.ts';
import type { UnknownField } from '../../contract/types.ts';
import type { FieldViolation } from '../../errors.ts';
import type { Decision } from '../../scenarios/decision.ts';
import { uptime } from '../clock.ts';
import type { KeptRecord } from './interceptor-record.ts';
import { patchOf, type PatchStep } from './json-patch.ts';
import { LARGEST_BODY, shorten } from './shortening.ts';
import { Redaction } from './redaction.ts';
import type { RowChange } from '../env.ts';

export interface RecordedRequest {
  protocol: string;
  method: string;
  path: string;
  query: Readonly<Record<string, unknown>>;
  headers: Readonly<Record<string, unknown>>;
  body: Uint8Array | undefined;
  /** Of the body, in bytes. */
  size: number;
}

export interface RecordedReply {
  status: number;
  headers: AnswerHeaders;
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
  unknown?: readonly UnknownField[];
  /** How our answer broke the contract. */
  response?: string;
  /** What the scenarios made of it; absent when no rule listens to the operation. */
  decision?: Pick<Decision, 'view'>;
  /** What went wrong on the way to the caller. */
  fault?: object;
  changes?: readonly RowChange[];
  /** Which interceptors were asked, in order. */
  interceptors?: readonly KeptRecord[];
  /** The inner cause of a failure of ours; never sent. */
  cause?: unknown;
}

/** Told that an entry is complete. */
type OnClosed = (entry: Entry) => void;

const NONE: readonly never[] = [];

/**
 * One call and its answer. The journal keeps many, so an entry holds few objects: what can be worked out again is left
 * to whoever looks (`entry-view.ts`).
 */
export class Entry {
  readonly number: number;
  readonly id: string;
  /** Milliseconds on the environment's clock. */
  readonly time: number;
  readonly protocol: string;
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, unknown>>;
  /** Of the request's body as it came, in bytes. */
  readonly requestSize: number;
  operation: string | undefined = undefined;
  binding: string | undefined = undefined;
  /** As it was read; the beginning of it where it is large. */
  body: unknown = undefined;
  /** The beginning of a body that was not read: no operation wanted it, or it is not what it says. */
  unread: string | undefined = undefined;
  violations: readonly FieldViolation[] = NONE;
  unknown: readonly UnknownField[] = NONE;
  response: string | undefined = undefined;
  decision: Pick<Decision, 'view'> | undefined = undefined;
  fault: object | undefined = undefined;
  changes: readonly RowChange[] = NONE;
  interceptors: readonly KeptRecord[] = NONE;
  cause: unknown = undefined;
  isClosed = false;
  /** Absent as long as there is no answer, and when the caller was sent none. */
  status: number | undefined = undefined;
  replyHeaders: AnswerHeaders | undefined = undefined;
  /** Of the answer, as it was sent; the beginning of it where it is large. */
  replyText: string | undefined = undefined;
  replySize = 0;
  /** Milliseconds. */
  duration = 0;
  /** What it adds to the journal, roughly, in bytes. */
  size = 0;
  #bytes: Uint8Array | undefined;
  #patch: readonly PatchStep[] | undefined = undefined;
  readonly #start = uptime();
  readonly #onClosed: OnClosed;

  constructor(number: number, time: number, request: RecordedRequest, onClosed: OnClosed) {
    this.number = number;
    this.id = `req_${number}`;
    this.time = time;
    this.protocol = request.protocol;
    this.method = request.method;
    this.path = request.path;
    this.query = request.query;
    this.headers = request.headers;
    this.requestSize = request.size;
    this.#bytes = request.body;
    this.#onClosed = onClosed;
  }

  note(findings: Findings): void {
    Object.assign(this, findings);
  }

  close<T extends RecordedReply>(reply: T): T {
    this.isClosed = true;
    this.status = reply.status || undefined;
    this.replyHeaders = reply.headers;
    this.replyText = reply.text;
    this.replySize = reply.text?.length ?? 0;
    this.duration = Math.round((uptime() - this.#start) * 1000) / 1000;
    this.#keepLittle(reply.body);
    this.#onClosed(this);
    return reply;
  }

  /** A scenario has answered with what the contract does not promise. */
  get violated(): boolean {
    return this.replyHeaders?.['understudy-contract'] === 'violated';
  }

  get patch(): readonly PatchStep[] {
    return this.#patch ?? patchOf(this.changes);
  }

  /** A body of megabytes must not drive all other calls out of the journal. */
  #keepLittle(replied: unknown): void {
    if (this.body === undefined && this.#bytes?.length) this.unread = beginning(this.#bytes);
    this.#bytes = undefined;
    let size = OVERHEAD + this.path.length + this.replySize + this.requestSize;
    if (size > LARGEST_BODY) size = this.#shorten(replied);
    for (const record of this.interceptors) size += record.size;
    this.size = size + textIn(this.headers) + textIn(this.query) + this.changes.length * ROW;
  }

  #shorten(replied: unknown): number {
    if (this.requestSize > LARGEST_BODY) {
      this.body = shorten(this.body);
      this.#patch = this.patch.map((step) =>
        'value' in step ? { ...step, value: shorten(step.value) } : step,
      );
      this.changes = NONE;
      // It holds the body too.
      const decided = this.decision?.view(new Redaction(this.body).value);
      if (decided) this.decision = { view: () => decided };
    }
    if (this.replySize > LARGEST_BODY) {
      const short = shorten(replied);
      this.replyText = typeof short === 'string' ? short : JSON.stringify(short);
    }
    return OVERHEAD + Math.min(this.requestSize, 2 * LARGEST_BODY) + Math.min(this.replySize, LARGEST_BODY);
  }
}

/** How long the values are, roughly: lists of texts are rare. */
function textIn(values: Readonly<Record<string, unknown>>): number {
  let size = 0;
  for (const name in values) size += String(values[name]).length;
  return size;
}

/** What an entry without texts takes, in bytes, and a row that it has changed. */
const OVERHEAD = 1000;
const ROW = 500;
const UNREAD_SHOWN = 1000;

const beginning = (bytes: Uint8Array) => new TextDecoder().decode(bytes.subarray(0, UNREAD_SHOWN));
