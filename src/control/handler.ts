import type { Contract } from '../contract/contract.ts';
import type { ControlId, ControlInput, ControlOutput } from '../contract/types.ts';
import type { Environment } from '../environment/environment.ts';
import type { FixtureFolder } from '../fixtures/fixtures.ts';
import { ApiError } from '../contract/errors.ts';
import type { ScenarioCatalog } from '../scenarios/library.ts';
import type { Call, WrittenReply } from '../pipeline/call.ts';
import type { Simulator } from '../pipeline/perform.ts';
import type { Log } from '@understudy/text/log';
import type { Metrics } from '../metrics/metrics.ts';
import { suggestAmong } from '@understudy/text/suggestion';

export interface ControlContext extends Controls {
  /** The environment of the call. */
  environment: Environment;
  baseUrl: string;
  /** The `Accept` header. */
  accept: string;
  /** The raw body; empty if there was none. */
  bodyText: string;
  /** Aborts when the caller disconnects. */
  signal: AbortSignal;
  /** Makes a call of the service or of the control API, on behalf of the caller. */
  perform: (call: OwnCall) => Promise<WrittenReply>;
}

/** A call that a control call makes. */
export interface OwnCall {
  method: string;
  path: string;
  query?: Call['query'];
  headers: Call['headers'];
  body: string | undefined;
}

type ControlHandler<K extends ControlId> = (
  input: ControlInput<K>,
  context: ControlContext,
) => ControlResult<K> | Promise<ControlResult<K>>;

type ControlResult<K extends ControlId> = ControlOutput<K> | TextReply | StreamReply;

/** Operations that packages add. */
export type AddedControl =
  | 'Control_AuthorizeAccount'
  | 'Control_ListIdps'
  | 'Control_ActAsIdp'
  | 'Control_GetBundle'
  | 'Control_MakeBundle';

export type ControlOperations = { [K in ControlId]: ControlHandler<K> };

/** A reply that is not JSON. */
export class TextReply {
  readonly mediaType: string;
  readonly text: string;
  readonly headers: Readonly<Record<string, string>>;

  constructor(mediaType: string, text: string, headers: Readonly<Record<string, string>> = {}) {
    this.mediaType = mediaType;
    this.text = text;
    this.headers = headers;
  }
}

/** A reply that continues until its chunks end or the caller disconnects. */
export class StreamReply {
  readonly mediaType: string;
  readonly chunks: AsyncIterable<string | Uint8Array>;

  constructor(mediaType: string, chunks: AsyncIterable<string | Uint8Array>) {
    this.mediaType = mediaType;
    this.chunks = chunks;
  }
}

/** `not_found`, with the most similar known name. */
export const unknownName = (noun: string, id: string, known: readonly string[]): ApiError =>
  new ApiError('not_found', `${noun} ${id} not found${suggestAmong(id, known)}`);

const STATUSES = { failed_precondition: 422, deadline_exceeded: 408 } as const;

/** A verification failed. The reply has the evidence beside the envelope. */
export class EvidenceError extends ApiError {
  readonly #evidence: object;

  /**
   * `failed_precondition` (422): the condition does not hold. `deadline_exceeded` (408): it did not hold in
   * time.
   */
  constructor(failure: keyof typeof STATUSES, message: string, evidence: object) {
    super(failure, message);
    this.#evidence = evidence;
  }

  override get status(): number {
    return STATUSES[this.failure as keyof typeof STATUSES];
  }

  override envelope(): Record<string, unknown> {
    return { ...super.envelope(), ...this.#evidence };
  }
}

/** What the control API works on. */
export interface Controls {
  readonly simulator: Simulator;
  readonly contract: Contract;
  readonly fixtures: FixtureFolder;
  readonly scenarios: () => Promise<ScenarioCatalog>;
  /** `authority`: the certificate of the local authority, as PEM. */
  readonly certificates: { authority(): Promise<string> };
  readonly documents: { service(): object; control(): object };
  readonly version: string;
  /** The bearer token that the control API requires, if any. */
  readonly token: string | undefined;
  readonly log: Log;
  readonly metrics: Metrics;
  /** The operations that packages add. */
  readonly added: Partial<ControlOperations>;
}
