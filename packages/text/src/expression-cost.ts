/**
 * What compiling costs in microseconds, measured on one machine: the start, each character, each class of Unicode, each
 * class of ASCII, each character that a range without upper and lower case folds, and each instruction.
 */
const [START, LETTER, UNICODE_CLASS, ASCII_CLASS, FOLDED, INSTRUCTION] = [60, 4, 400, 40, 0.06, 3];

/** The characters that have an upper and a lower case lie between these. */
const [FIRST_FOLDED, LAST_FOLDED] = [0x41, 0x1e943];

/** RE2 has no larger counts. */
const MOST_COUNTED = 1001;

// No part can fail after a long text, so that reading takes linear time.
const UNICODE = String.raw`\\[pP](?:\{[^}]{0,40}\}|[^])`;
const CHARACTER = String.raw`\\x\{[0-9a-fA-F]+\}|\\x[0-9a-fA-F]{2}|\\[0-7]{1,3}|\\[^]|[^\\]`;
const QUOTED = String.raw`\\Q[^]*?(?:\\E|$)`;
const CLASS = String.raw`\[\^?\]?(?:\[:\^?\w+:\]|\\[^]|[^\]\\])*\]?`;
const GROUP = String.raw`\(\?(?:P?<\w+>|[a-zA-Z-]*:?)`;
const COUNT = String.raw`\{(?<least>\d+)(?<open>,(?<most>\d*))?\}`;

const TOKENS = new RegExp([QUOTED, CLASS, UNICODE, GROUP, COUNT, CHARACTER].join('|'), 'gu');
const MEMBERS = new RegExp(
  String.raw`${UNICODE}|\\[dDwWsS]|\[:\^?\w+:\]|(?<low>${CHARACTER})-(?<high>${CHARACTER})|${CHARACTER}`,
  'gu',
);
const FOLDS = /\(\?[a-zA-Z]*i/;

interface CompilingCost {
  /** In microseconds. */
  cost: number;
  /** Instructions, after counts are expanded. Never too few. */
  size: number;
}

/** Estimates without compiling. The expression is written in the syntax of RE2, and may be wrong. */
export function compilingCost(source: string): CompilingCost {
  const folds = FOLDS.test(source);
  const size = new ProgramSize();
  let cost = START + LETTER * source.length;
  for (const { 0: token, groups } of source.matchAll(TOKENS)) {
    size.add(token, groups);
    if (token.startsWith('\\Q')) continue;
    for (const { 0: member, groups: range } of token.matchAll(MEMBERS)) cost += costOf(member, folds, range);
  }
  return { cost: Math.ceil(cost + INSTRUCTION * size.all), size: size.all };
}

function costOf(member: string, folds: boolean, range: Partial<Record<string, string>> = {}): number {
  if (/^\\[pP]/.test(member)) return UNICODE_CLASS;
  if (/^(?:\\[dDwWsS]$|\[:)/.test(member)) return ASCII_CLASS;
  return folds && range['high'] !== undefined ? FOLDED * foldedIn(range) : 0;
}

function foldedIn({ low = '', high = '' }: Partial<Record<string, string>>): number {
  const [from, to] = [codeOf(low), codeOf(high)];
  if (from <= FIRST_FOLDED && to >= LAST_FOLDED) return 0;
  return Math.max(0, Math.min(to, LAST_FOLDED) - Math.max(from, FIRST_FOLDED));
}

function codeOf(character: string): number {
  const [, hexadecimal] = /^\\x\{?([0-9a-fA-F]+)/.exec(character) ?? [];
  if (hexadecimal !== undefined) return Number.parseInt(hexadecimal, 16);
  if (/^\\[0-7]/.test(character)) return Number.parseInt(character.slice(1), 8);
  return (character.startsWith('\\') ? character.slice(1) : character).codePointAt(0) ?? 0;
}

/** Counts the instructions of an expression that is read from left to right. */
class ProgramSize {
  all = 3;
  /** Of what a count would repeat. */
  #last = 0;
  /** The size before each open group. */
  readonly #open: number[] = [];

  add(token: string, groups: Partial<Record<string, string>> | undefined): void {
    if (groups?.['least'] !== undefined) return this.#repeat(groups);
    if (token.startsWith('(')) this.#open.push(this.all);
    const isEnd = token === ')';
    const before = isEnd ? (this.#open.pop() ?? this.all) : this.all;
    this.all += isEnd ? 2 : token.startsWith('\\Q') ? token.length : 1;
    if (!/^[*+?]$/.test(token)) this.#last = this.all - before;
  }

  #repeat({ least, open, most }: Partial<Record<string, string>>): void {
    const isEndless = open !== undefined && most === '';
    const count = Math.min(MOST_COUNTED, Math.max(Number(least), Number(most ?? 0)) + (isEndless ? 1 : 0));
    const each = this.#last + (open === undefined ? 0 : 1);
    this.all += Math.max(0, count * each - this.#last);
    this.#last = count * each;
  }
}
