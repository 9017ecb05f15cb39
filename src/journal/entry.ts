import type { Cause } from '../contract/cause.ts';
import type { RuleId } from '../contract/rule-ids.gen.ts';
import type { LooseValue } from '../contract/loose-formats.ts';
import type { AnswerHeaders } from '@understudy/text/json';
import type { UnknownField } from '../contract/types.ts';
import type { FieldViolation } from '../contract/errors.ts';
import type { Decision, DecisionView } from '../scenarios/decision.ts';
import { timeAt, uptime, uptimeAt } from '../state/clock.ts';
import type { KeptRecord, KeptProviderRecord } from './made-calls.ts';
import { patchOf, type PatchStep } from './json-patch.ts';
import { LARGEST_BODY, shorten, Redaction } from './redaction.ts';
import type { RowChange } from '../state/env.ts';

export interface RecordedRequest {
  protocol: string;
  method: string;
  path: string;
  query: Readonly<Record<string, unknown>>;
  headers: Readonly<Record<string, unknown>>;
  body: Uint8Array | undefined;
  /** Bytes of the body. */
  size: number;
  /** The id of the call that makes this one. */
  madeBy?: string;
}

interface RecordedReply {
  status: number;
  headers: AnswerHeaders;
  body: unknown;
  text: string | undefined;
}

/** Who made a call. */
interface EntryCaller {
  client_id: string;
  /** The `sub` claim of a user's token. */
  subject?: string;
  /** The directory whose secret an identity provider has sent. */
  directory_id?: string;
}

/** Why the call was refused, as the refusing place said it. */
export interface Refusal {
  /** What the answer says. */
  readonly message: string;
  readonly why: Cause | undefined;
}

/** A moment in the history of an environment, at which a call came or ended. */
export interface CallEnd {
  /** How many commits the environment had then. */
  readonly position: number;
  /** The index, in the list that `Moments` keeps, of the clock and the scenarios that were in force. */
  readonly surroundings: number;
}

type OnClosed = (entry: Entry) => void;

const NONE: readonly never[] = [];

const NODE_SDK = /^Scalekit-Node\//;

/**
 * One call and its answer. The pipeline writes what it finds out. The journal holds many entries, so an entry holds few
 * objects; `entry-view.ts` computes the rest.
 */
export class Entry {
  readonly number: number;
  readonly id: string;
  /** Milliseconds on the environment's clock. */
  readonly time: number;
  readonly protocol: string;
  readonly method: string;
  readonly path: string;
  readonly madeBy: string | undefined;
  readonly query: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, unknown>>;
  /** Bytes of the request's body. */
  readonly requestSize: number;
  operation: string | undefined = undefined;
  /** The operation's name with the number of the path, for operations with several paths. */
  binding: string | undefined = undefined;
  /** Absent if the call has no good token. */
  caller: EntryCaller | undefined = undefined;
  /** The parsed body; only the beginning if it is large. */
  body: unknown = undefined;
  /** The beginning of a body that was not parsed: no operation needed it, or it does not match its content type. */
  unread: string | undefined = undefined;
  violations: readonly FieldViolation[] = NONE;
  unknown: readonly UnknownField[] = NONE;
  /** Values in another form than the contract says. The notes name them. */
  loose: readonly LooseValue[] = NONE;
  /** How our answer broke the contract. */
  response: string | undefined = undefined;
  /** Absent if no rule listens to the operation. */
  decision: Pick<Decision, 'view' | 'rule'> | undefined = undefined;
  /** What to know about the call that neither request nor answer shows well. */
  notes: readonly string[] = NONE;
  /** Rules that no source of the service states, and that decided the call. */
  rules: readonly RuleId[] = NONE;
  /** Absent if nothing refused the call. */
  refusal: Refusal | undefined = undefined;
  /** A fault of the connection that a scenario caused. */
  fault: object | undefined = undefined;
  changes: readonly RowChange[] = NONE;
  /** In the order of the calls. */
  interceptors: readonly KeptRecord[] = NONE;
  /** The ids of the calls that this call made, such as those of an MCP server's tool. */
  calls: readonly string[] = NONE;
  /** Calls to addresses that play a provider. */
  providers: readonly KeptProviderRecord[] = NONE;
  /** The internal cause of a failure; never sent. */
  cause: unknown = undefined;
  isClosed = false;
  /** Whether the store has it, or gets it at the moment. */
  isStored = false;
  /** Absent while there is no answer, or if none was sent. */
  status: number | undefined = undefined;
  replyHeaders: AnswerHeaders | undefined = undefined;
  /** The answer's body as it was sent; only the beginning if it is large. */
  replyText: string | undefined = undefined;
  replySize = 0;
  /** Whether a scenario answered outside the contract. */
  violated = false;
  /** Milliseconds. */
  duration = 0;
  /** Approximate bytes in the journal. */
  size = 0;
  /** Where it ended in the history of its environment; absent for a call of an earlier process. */
  end: CallEnd | undefined = undefined;
  /** Where it came in that history. */
  start: CallEnd | undefined = undefined;
  /** Stands for the changes of a large call. */
  shortPatch: readonly PatchStep[] | undefined = undefined;
  #bytes: Uint8Array | undefined;
  /** As `uptime`. */
  #start = uptime();
  readonly #onClosed: OnClosed;

  constructor(number: number, time: number, request: RecordedRequest, onClosed: OnClosed) {
    this.number = number;
    this.id = `req_${number}`;
    this.time = time;
    this.protocol = request.protocol;
    this.method = request.method;
    this.path = request.path;
    this.madeBy = request.madeBy;
    this.query = request.query;
    this.headers = request.headers;
    this.requestSize = request.size;
    this.#bytes = request.body;
    this.#onClosed = onClosed;
  }

  /**
   * The SDK for Node asks for a token only after a call without one was refused, and then makes the call again. Such a
   * refusal is no failure of the caller.
   */
  get expected(): 'call_without_token' | undefined {
    const { authorization, 'x-sdk-version': sdk, 'user-agent': agent } = this.headers;
    const caller = sdk ?? agent;
    const isTokenProbe =
      this.status === 401 &&
      authorization === undefined &&
      typeof caller === 'string' &&
      NODE_SDK.test(caller);
    return isTokenProbe ? 'call_without_token' : undefined;
  }

  /** When the call came, in milliseconds on the machine's clock. */
  get began(): number {
    return timeAt(this.#start);
  }

  /** For a call of an earlier process. */
  set began(time: number) {
    this.#start = uptimeAt(time);
  }

  close<T extends RecordedReply>(reply: T): T {
    this.isClosed = true;
    this.status = reply.status || undefined;
    this.replyHeaders = reply.headers;
    this.replyText = reply.text;
    this.replySize = reply.text?.length ?? 0;
    this.violated = reply.headers['understudy-contract'] === 'violated';
    this.duration = Math.round((uptime() - this.#start) * 1000) / 1000;
    this.#shortenBodies(reply.body);
    this.#onClosed(this);
    return reply;
  }

  /** Milliseconds since the call came. */
  get age(): number {
    return uptime() - this.#start;
  }

  get patch(): readonly PatchStep[] {
    return this.shortPatch ?? patchOf(this.changes);
  }

  /** Shortens large bodies, so that one call does not push all others out of the journal. */
  #shortenBodies(replied: unknown): void {
    if (this.body === undefined && this.#bytes?.length) this.unread = beginning(this.#bytes);
    this.#bytes = undefined;
    let size = ENTRY_OVERHEAD + this.path.length + this.replySize + this.requestSize;
    if (size > LARGEST_BODY) size = this.#shorten(replied);
    for (const record of [...this.interceptors, ...this.providers]) size += record.size;
    this.size = size + textLength(this.headers) + textLength(this.query) + this.changes.length * CHANGE_SIZE;
  }

  #shorten(replied: unknown): number {
    if (this.requestSize > LARGEST_BODY) {
      this.body = shorten(this.body);
      this.shortPatch = this.patch.map(shortenStep);
      this.changes = NONE;
      // The decision holds the body, too.
      const decided = this.decision?.view(new Redaction(this.body).value);
      if (decided) this.decision = decidedBefore(decided);
    }
    if (this.replySize > LARGEST_BODY) {
      const short = shorten(replied);
      this.replyText = typeof short === 'string' ? short : JSON.stringify(short);
    }
    return (
      ENTRY_OVERHEAD + Math.min(this.requestSize, 2 * LARGEST_BODY) + Math.min(this.replySize, LARGEST_BODY)
    );
  }
}

/** A decision of which only the view is left. */
export const decidedBefore = (decided: DecisionView): NonNullable<Entry['decision']> => ({
  view: () => decided,
  rule: decided.name === undefined ? undefined : { name: decided.name, rule: decided.rule ?? 0 },
});

const shortenStep = (step: PatchStep): PatchStep => ({
  ...step,
  ...('value' in step && { value: shorten(step.value) }),
  ...('before' in step && { before: shorten(step.before) }),
});

/** The approximate length of the values. */
function textLength(values: Readonly<Record<string, unknown>>): number {
  let size = 0;
  for (const name in values) size += String(values[name]).length;
  return size;
}

/** Approximate bytes of an entry without texts, and of a changed row. */
const ENTRY_OVERHEAD = 1000;
const CHANGE_SIZE = 500;
const MAX_UNREAD_BYTES = 1000;

const beginning = (bytes: Uint8Array) => new TextDecoder().decode(bytes.subarray(0, MAX_UNREAD_BYTES));
