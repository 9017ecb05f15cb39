/** One mistake in a scenario. Line and column count from 1; 0 where the scenario came without a text. */
export interface Complaint {
  file: string;
  line: number;
  column: number;
  /** Such as `rules[0].reply.error`; empty for the text as a whole. */
  path: string;
  message: string;
}

/** How many complaints are told of one scenario; of more, only how many there are. */
export const MOST_TOLD = 50;

/** After so many complaints nothing else is looked at. */
export const ENOUGH = 1000;

/** A scenario that can't be used: every mistake in it, one a line. */
export class ScenarioError extends Error {
  readonly complaints: readonly Complaint[];
  /** How many complaints there are beside these. */
  readonly untold: number;

  /** `and 7 more complaints`; nothing when all are told. */
  readonly more: readonly string[];

  /** `isPart`: not all of the text was looked at. */
  constructor(complaints: readonly Complaint[], untold = 0, isPart = false) {
    const told = complaints.slice(0, MOST_TOLD);
    const left = untold + complaints.length - told.length;
    const more = left === 0 ? [] : [`and ${isPart ? 'at least ' : ''}${left} more ${nounOf(left)}`];
    super([...told.map(formatComplaint), ...more].join('\n'));
    this.complaints = told;
    this.untold = left;
    this.more = more;
  }
}

const nounOf = (count: number) => (count === 1 ? 'complaint' : 'complaints');

export function formatComplaint({ file, line, column, path, message }: Complaint): string {
  const position = line === 0 ? file : `${file}:${line}:${column}`;
  return [position, path, message].filter((part) => part !== '').join(': ');
}
