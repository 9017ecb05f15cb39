/** One mistake in a scenario. Line and column count from 1; 0 where the scenario came without a text. */
export interface Complaint {
  file: string;
  line: number;
  column: number;
  /** Such as `rules[0].reply.error`; empty for the text as a whole. */
  path: string;
  message: string;
}

/** A scenario that can't be used: every mistake in it, one a line. */
export class ScenarioError extends Error {
  readonly complaints: readonly Complaint[];

  constructor(complaints: readonly Complaint[]) {
    super(complaints.map(formatComplaint).join('\n'));
    this.complaints = complaints;
  }
}

export function formatComplaint({ file, line, column, path, message }: Complaint): string {
  const position = line === 0 ? file : `${file}:${line}:${column}`;
  return [position, path, message].filter((part) => part !== '').join(': ');
}
