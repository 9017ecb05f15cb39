import type { ControlId, ControlInput, ControlOutput } from '../contract/types.ts';
import type { Environment } from '../environment/environment.ts';
import { ApiError, type JsonErrorShape } from '../errors.ts';
import { suggestAmong } from '../text/suggestion.ts';
import type { Controls } from './serve.ts';

export interface ControlContext extends Controls {
  /** The environment that the call is about. */
  environment: Environment;
  baseUrl: string;
  /** Media types that the caller would like. */
  accept: string;
  /** The body as it was written; empty when none was. */
  bodyText: string;
  /** Aborts when the caller no longer waits for the answer. */
  signal: AbortSignal;
}

type ControlHandler<K extends ControlId> = (
  input: ControlInput<K>,
  context: ControlContext,
) => Answer<K> | Promise<Answer<K>>;

type Answer<K extends ControlId> = ControlOutput<K> | Text | Stream;

export type ControlOperations = { [K in ControlId]: ControlHandler<K> };

/** A whole answer that is not JSON. */
export class Text {
  readonly mediaType: string;
  readonly text: string;
  readonly headers: Readonly<Record<string, string>>;

  constructor(mediaType: string, text: string, headers: Readonly<Record<string, string>> = {}) {
    this.mediaType = mediaType;
    this.text = text;
    this.headers = headers;
  }
}

/** An answer that goes on until its chunks end or the caller leaves. */
export class Stream {
  readonly mediaType: string;
  readonly chunks: AsyncIterable<string>;

  constructor(mediaType: string, chunks: AsyncIterable<string>) {
    this.mediaType = mediaType;
    this.chunks = chunks;
  }
}

/** `not_found`, with the nearest of what there is. */
export const absent = (noun: string, id: string, known: readonly string[]): ApiError =>
  new ApiError('not_found', `${noun} ${id} not found${suggestAmong(id, known)}`);

const STATUSES = { failed_precondition: 422, deadline_exceeded: 408 } as const;

/** What was asked about the calls is not so. The answer has the evidence beside the envelope's members. */
export class EvidenceError extends ApiError {
  readonly #evidence: object;

  /** `failed_precondition`: it is not so (422). `deadline_exceeded`: it was not so in time (408). */
  constructor(failure: keyof typeof STATUSES, message: string, evidence: object) {
    super(failure, message);
    this.#evidence = evidence;
  }

  override get status(): number {
    return STATUSES[this.failure as keyof typeof STATUSES];
  }

  override body(shape: JsonErrorShape): Record<string, unknown> {
    return { ...super.body(shape), ...this.#evidence };
  }
}
