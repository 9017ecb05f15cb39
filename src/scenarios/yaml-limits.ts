import { Lexer } from 'yaml';
import { DEEPEST } from '../contract/body.ts';
import type { TextFault } from './json-text.ts';

/** Tokens that the lexer adds; they are no part of the text. */
const LEXER_MARKS = ['\u0002', '\u0018', '\u001f', '\ufeff'];

export const TOO_DEEP = `is nested deeper than ${DEEPEST} levels`;

/** Words, brackets, spaces and ends of lines: what the parser takes one at a time. A rule has about 50. */
const MOST_TOKENS = 80_000;
/** Anchors, aliases and directives: what stands at an anchor is looked for at each alias. */
const MOST_ALIASES = 1000;

/** What follows is a plain or quoted text, whatever it looks like. */
const SCALAR = '\u001f';

/** A text that asks for more than a scenario needs. */
export class TooMuch extends Error {
  readonly fault: TextFault;

  constructor(fault: TextFault) {
    super(fault.message);
    this.fault = fault;
  }
}

/** The tokens of a YAML text. Throws TooMuch at the first that goes too far, before anything is built of them. */
export function* tokensOf(text: string): Generator<string> {
  const count = { tokens: 0, aliases: 0, depth: 0, dashes: 0 };
  let [offset, isScalar] = [0, false];
  for (const token of new Lexer().lex(text)) {
    if (!isScalar) note(token, count);
    const message = excess(count);
    if (message !== undefined) throw new TooMuch({ offset, message });
    yield token;
    isScalar = token === SCALAR;
    if (!LEXER_MARKS.includes(token)) offset += token.length;
  }
}

interface Count {
  tokens: number;
  aliases: number;
  /** Of brackets. */
  depth: number;
  /** Lists and keys that begin in one line, each inside the one before. */
  dashes: number;
}

function note(token: string, count: Count): void {
  count.tokens += 1;
  const [first] = token;
  if (first === '&' || first === '*' || first === '%') count.aliases += 1;
  else if (token === '[' || token === '{') count.depth += 1;
  else if (token === ']' || token === '}') count.depth -= 1;
  else if (token === '-' || token === '?') count.dashes += 1;
  else if (first === '\n' || first === '\r') count.dashes = 0;
}

function excess({ tokens, aliases, depth, dashes }: Count): string | undefined {
  if (depth > DEEPEST || dashes > DEEPEST) return TOO_DEEP;
  if (aliases > MOST_ALIASES) return `has more than ${MOST_ALIASES} anchors, aliases and directives`;
  if (tokens <= MOST_TOKENS) return undefined;
  return `is too long to be read as YAML: it has more than ${MOST_TOKENS} tokens; JSON is read faster`;
}
