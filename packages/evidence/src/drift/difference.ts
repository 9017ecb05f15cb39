/** What a difference means for a program that was tested with Understudy. */
export type Severity = 'breaking' | 'notable' | 'cosmetic';

export const SEVERITIES: readonly Severity[] = ['breaking', 'notable', 'cosmetic'];

/**
 * `identical`: the same. `noise`: different as ids, times and unordered lists are. `drift`: the service does something
 * else. `unknown`: what was recorded does not say.
 */
type Verdict = 'identical' | 'noise' | 'drift' | 'unknown';

export type DriftKind =
  | 'status'
  | 'error code'
  | 'message'
  | 'detail'
  | 'field added'
  | 'field missing'
  | 'field renamed'
  | 'type'
  | 'enum value'
  | 'value'
  | 'empty value'
  | 'order'
  | 'paging'
  | 'rows'
  | 'header'
  | 'trailer'
  | 'timing'
  | 'redirect'
  | 'claim'
  | 'form'
  | 'identity'
  | 'event missing'
  | 'event added'
  | 'rule'
  | 'operation';

/** One place in which the service and Understudy differ. */
export interface Difference {
  verdict: 'drift' | 'unknown';
  kind: DriftKind;
  severity: Severity;
  /** Where in the answer, such as `body.organization.id`. */
  at: string;
  /** What differs, for a reader who knows neither side. */
  message: string;
  /** What the service sent; absent: nothing. */
  theirs?: unknown;
  ours?: unknown;
  /** Of the contract that Understudy serves at /openapi.json, such as `#/components/schemas/Organization`. */
  contract?: string;
}

/** A difference with the place where it was found. */
export interface Finding extends Difference {
  /** The operation, the type of an event, or the rule that it is about. */
  subject: string;
  /** The number of the exchange. */
  exchange?: number;
  /** Guessed rules of Understudy that decide this. */
  rules: string[];
}

/** What was compared, and what differs. */
export interface DriftReport {
  /** What was compared, such as the folder of a recording. */
  source: string;
  understudy: string;
  /** The operations, events or rules that were compared. */
  compared: string[];
  /** How many exchanges, answers or rules have each verdict. */
  counts: Record<Verdict, number>;
  /** What of the above is counted. */
  counted: string;
  /** How often made-up values, times and orders differed, which is no drift. */
  noise: Record<string, number>;
  findings: Finding[];
}

/** What a comparison finds. */
export type Comparison = Pick<DriftReport, 'compared' | 'counts' | 'noise' | 'findings'>;

export const emptyComparison = (): Comparison => ({
  compared: [],
  counts: noCounts(),
  noise: {},
  findings: [],
});

const noCounts = (): Record<Verdict, number> => ({ identical: 0, noise: 0, drift: 0, unknown: 0 });

/** The verdict about something in which these differences and this much noise were found. */
export function verdictOf(differences: readonly Pick<Difference, 'verdict'>[], noise: number): Verdict {
  if (differences.some(({ verdict }) => verdict === 'drift')) return 'drift';
  if (differences.length > 0) return 'unknown';
  return noise > 0 ? 'noise' : 'identical';
}

const LONGEST = 60;

/** A value for a message. */
export function shown(value: unknown): string {
  if (value === undefined) return 'nothing';
  const text = JSON.stringify(value);
  return text.length > LONGEST ? `${text.slice(0, LONGEST).toWellFormed()}…` : text;
}
