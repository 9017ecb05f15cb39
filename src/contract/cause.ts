import type { OperationId } from './types.ts';

/** What decided an answer. `none`: nothing refused the call, or nobody knows what did. */
export type WhyKind =
  | 'scenario'
  | 'contract'
  | 'authentication'
  | 'unknown'
  | 'taken'
  | 'state'
  | 'time'
  | 'limit'
  | 'permission'
  | 'interceptor'
  | 'provider'
  | 'protocol'
  | 'none';

/**
 * What the place that refuses a call knows about the reason. The journal keeps it, so it is small and has no secret. What
 * it means is worked out when somebody asks (`src/why/`).
 */
export interface Cause {
  readonly kind: WhyKind;
  /** The reason as a sentence, where the message on the wire says too little; with a noun, what is wrong beside that. */
  readonly says?: string;
  /** What there is none of: the noun of a table, and an id or a description. */
  readonly noun?: string;
  readonly wanted?: string;
  /** The rows that decided, as `collection/id`. */
  readonly rows?: readonly string[];
  /** What members of the first row would have to be, so that the call succeeds. */
  readonly needs?: Readonly<Record<string, string | number | boolean>>;
  /** Operations that bring the first row into such a state. */
  readonly leads?: readonly OperationId[];
  /** When what was sent ended, as an ISO time. */
  readonly ended?: string;
}

/** What the state of rows has to do with a refusal. */
export type StateFacts = Omit<Cause, 'kind' | 'noun' | 'wanted' | 'ended'>;

/** A row for a cause. */
export const rowNamed = (collection: string, { id }: { readonly id: string }): string =>
  `${collection}/${id}`;

/** The reason for what has ended, or was too early. */
export const timeCause = (ended: string | number, says?: string, rows?: readonly string[]): Cause => ({
  kind: 'time',
  ended: typeof ended === 'number' ? new Date(ended).toISOString() : ended,
  ...(says !== undefined && { says }),
  ...(rows && { rows }),
});

/** The reason for a refusal that the state of rows decided. */
export const stateCause = (says: string, ...rows: readonly string[]): Cause => ({
  kind: 'state',
  says,
  ...(rows.length > 0 && { rows }),
});
