import { ApiError, type JsonErrorShape } from '../errors.ts';

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
