import { MAX_DEPTH } from '../contract/body.ts';
import type { Path } from './path.ts';

/** The value of a text and the position of each member. */
export interface ReadText {
  readonly value: unknown;
  readonly faults: readonly TextFault[];
  /** The offset of the member, or of the last existing one above it. */
  offsetOf(path: Path, part: 'key' | 'value'): number;
}

export interface TextFault {
  offset: number;
  message: string;
}

export const TOO_DEEP = `is nested deeper than ${MAX_DEPTH} levels`;

export interface Position {
  line: number;
  column: number;
}

export function positionIn(lines: readonly number[], offset: number): Position {
  let [low, high] = [0, lines.length];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (lines[middle]! <= offset) low = middle;
    else high = middle;
  }
  return { line: low + 1, column: offset - lines[low]! + 1 };
}

/** The offset of the start of each line. */
export function linesOf(text: string): number[] {
  const lines = [0];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines.push(at + 1);
  return lines;
}
