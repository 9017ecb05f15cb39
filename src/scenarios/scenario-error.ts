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

  constructor(complaints: readonly Complaint[], untold = 0) {
    const told = complaints.slice(0, MOST_TOLD);
    const more = untold + complaints.length - told.length;
    super([...told.map(formatComplaint), ...moreLine(told.length, more)].join('\n'));
    this.complaints = told;
    this.untold = more;
  }

  /** `and 7 more complaints`; nothing when all are told. */
  get more(): string[] {
    return moreLine(this.complaints.length, this.untold);
  }
}

function moreLine(told: number, untold: number): string[] {
  if (untold === 0) return [];
  const isAll = told + untold < ENOUGH;
  return [`and ${isAll ? '' : 'at least '}${untold} more ${untold === 1 ? 'complaint' : 'complaints'}`];
}

export function formatComplaint({ file, line, column, path, message }: Complaint): string {
  const position = line === 0 ? file : `${file}:${line}:${column}`;
  return [position, path, message].filter((part) => part !== '').join(': ');
}
