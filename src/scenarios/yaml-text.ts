import {
  isAlias,
  isScalar,
  Parser,
  visit,
  type Alias,
  type CST,
  type Document,
  type ParsedNode,
  type YAMLMap,
  type YAMLParseError,
  Composer,
  isMap,
  isSeq,
  Lexer,
} from 'yaml';
import { MAX_DEPTH } from '../contract/body.ts';
import { MAX_COUNTED } from './complaints.ts';
import type { Path } from './path.ts';
import { linesOf, positionIn, TOO_DEEP, type ReadText, type TextFault } from './read-text.ts';
import { runSync, type Steps } from './steps.ts';

type Problem = Pick<YAMLParseError, 'code' | 'message' | 'pos'>;

/** What is wrong with a YAML text; empty if nothing is. */
function faultsIn(document: Document.Parsed, text: string): TextFault[] {
  const broken = [...document.errors, ...document.warnings, ...duplicates(document)];
  const problems = causes(broken.toSorted((a, b) => a.pos[0] - b.pos[0]));
  if (problems.length > 0) return problems.map((problem) => faultOf(problem, text));
  const stray = strayAlias(document);
  return stray ? [stray] : [];
}

/** The library's own check compares each key with all others of the map. */
function duplicates(document: Document.Parsed): Problem[] {
  const found: Problem[] = [];
  visit(document, {
    Map: (_, { items }: YAMLMap) => {
      const keys = new Set<unknown>();
      for (const { key } of items) {
        if (!isScalar(key)) continue;
        const [start, end] = (key as ParsedNode).range;
        if (keys.has(key.value)) found.push({ code: 'DUPLICATE_KEY', message: '', pos: [start, end] });
        keys.add(key.value);
      }
      return found.length > MAX_COUNTED ? visit.BREAK : undefined;
    },
  });
  return found;
}

/** Errors after a syntax error are mostly consequences. */
function causes(problems: readonly Problem[]): readonly Problem[] {
  const first = problems.findIndex(({ code }) => code !== 'DUPLICATE_KEY' && code !== 'TAG_RESOLVE_FAILED');
  return first < 0 ? problems : problems.slice(0, first + 1);
}

/** An unclosed bracket is reported at the bracket, not at the end of the text. */
function faultOf(problem: Problem, text: string): TextFault {
  const [, closing] = /^Flow .* end with a ([}\]])$/.exec(problem.message) ?? [];
  const bracket = closing === '}' ? '{' : '[';
  const start = closing && findUnclosed(text, bracket, problem.pos[0]);
  return typeof start === 'number'
    ? { offset: start, message: `this ${bracket} is not closed by a ${closing}` }
    : { offset: problem.pos[0], message: wordingOf(problem, text) };
}

/** Replaces messages of the parser that do not help. */
function wordingOf({ code, message, pos: [offset, end] }: Problem, text: string): string {
  if (code === 'DUPLICATE_KEY') return `the key ${keyAt(text, offset, end)} comes twice`;
  if (code === 'TAB_AS_INDENT') return 'indent YAML with spaces, not with tabs';
  if (code === 'MULTIPLE_DOCS') return 'a second YAML document begins here, and only one is read';
  if (text.startsWith('${', offset - 1)) return 'put a placeholder between { } or [ ] in quotes';
  return message.includes('call stack') ? TOO_DEEP : message;
}

function keyAt(text: string, offset: number, end: number): string {
  const [, quoted, plain] = /^(?:["']([^"'\n]*)|([^\s:]*))/.exec(text.slice(offset, end)) ?? [];
  return quoted ?? plain ?? text.slice(offset, end);
}

function strayAlias(document: Document.Parsed): TextFault | undefined {
  const anchors = new Set<string>();
  let found: Alias | undefined;
  visit(document, {
    Node: (_, node) => {
      if (!isAlias(node)) {
        if (node.anchor !== undefined) anchors.add(node.anchor);
        return undefined;
      }
      if (anchors.has(node.source)) return undefined;
      found = node;
      return visit.BREAK;
    },
  });
  if (!found) return undefined;
  const message = `*${found.source} is an alias without an anchor; put a text that begins with * in quotes`;
  return { offset: found.range?.[0] ?? 0, message };
}

/** The offset of the last bracket before `before` that is not closed. */
function findUnclosed(text: string, bracket: '{' | '[', before: number): number | undefined {
  const closing = bracket === '{' ? 'flow-map-end' : 'flow-seq-end';
  let found: number | undefined;
  const tokens: unknown[] = [...new Parser().parse(text)];
  // The list grows while it is walked, because recursion could exceed the call stack.
  for (const token of tokens) {
    if (typeof token !== 'object' || token === null) continue;
    for (const inner of Object.values(token)) tokens.push(inner);
    if (!isCollection(token) || token.start.source !== bracket) continue;
    const { offset } = token.start;
    const isClosed = token.end.some(({ type }) => type === closing);
    if (!isClosed && offset < before) found = Math.max(found ?? 0, offset);
  }
  return found;
}

const isCollection = (token: object): token is CST.FlowCollection =>
  'type' in token && token.type === 'flow-collection';

export function* readYaml(text: string, maxTokens = MAX_TOKENS.scenario): Steps<ReadText> {
  try {
    const document = yield* compose(text, maxTokens);
    yield;
    const faults = faultsIn(document, text);
    yield;
    const offsetOf = (path: Path, part: 'key' | 'value') => offsetIn(document, path, part);
    return faults.length > 0
      ? { value: undefined, faults, offsetOf }
      : { ...valueOfDocument(document), offsetOf };
  } catch (thrown) {
    if (!(thrown instanceof TooMuch)) throw thrown;
    return { value: undefined, faults: [thrown.fault], offsetOf: () => 0 };
  }
}

/** Like the library's `parseDocument`, but with limits; duplicate keys are checked afterwards. */
function* compose(text: string, maxTokens: number): Steps<Document.Parsed> {
  const parser = new Parser();
  // Building costs far more than counting, so all tokens are counted first.
  const counted: string[] = [];
  for (const token of tokensOf(text, maxTokens)) {
    counted.push(token);
    yield;
  }
  const parsed: CST.Token[] = [];
  for (const token of counted) {
    parsed.push(...parser.next(token));
    yield;
  }
  parsed.push(...parser.end());
  yield;
  const composer = new Composer({ uniqueKeys: false });
  let found: Document.Parsed | undefined;
  for (const document of composer.compose(parsed, true, text.length)) {
    if (found)
      found.errors.push({ code: 'MULTIPLE_DOCS', message: '', pos: [document.range[0], 0] } as never);
    if (found) break;
    found = document;
  }
  return found!;
}

function valueOfDocument(document: Document.Parsed): Pick<ReadText, 'value' | 'faults'> {
  try {
    return { value: document.toJS() as unknown, faults: [] };
  } catch (thrown) {
    // Aliases that would expand without end.
    return { value: undefined, faults: [{ offset: 0, message: (thrown as Error).message }] };
  }
}

function offsetIn(document: Document.Parsed, path: Path, part: 'key' | 'value'): number {
  let node: unknown = document.contents;
  let offset = offsetOfNode(node) ?? 0;
  for (const [index, step] of path.entries()) {
    const { key, value } = memberOf(node, step, document);
    const wanted = part === 'key' && index === path.length - 1 ? key : value;
    const found = offsetOfNode(wanted) ?? offsetOfNode(key);
    if (found === undefined) return offset;
    offset = found;
    node = value;
  }
  return offset;
}

function memberOf(parent: unknown, step: string | number, document: Document.Parsed) {
  const node = isAlias(parent) ? parent.resolve(document) : parent;
  if (isSeq(node)) return { key: undefined, value: node.items[Number(step)] };
  const found = isMap(node)
    ? node.items.find(({ key }) => isScalar(key) && String(key.value) === String(step))
    : undefined;
  return { key: found?.key, value: found?.value };
}

const offsetOfNode = (node: unknown): number | undefined =>
  (node as { range?: readonly number[] | null } | null | undefined)?.range?.[0];

/** Tokens that the lexer adds to the text. */
const LEXER_MARKS = ['\u0002', '\u0018', '\u001f', '\ufeff'];

/** How many words, brackets, spaces and line ends a text may have, and how many lines. */
const MAX_TOKENS = {
  /** A rule has about 50. */
  scenario: 80_000,
  /** An OpenAPI document of a whole API has 300 000. */
  document: 600_000,
};
/** Anchors, aliases and directives. Each alias costs a search for its anchor. */
const MAX_ALIASES = 1000;

/** A plain or quoted text follows. */
const SCALAR = '\u001f';

/** The text exceeds a limit. */
class TooMuch extends Error {
  readonly fault: TextFault;

  constructor(fault: TextFault) {
    super(fault.message);
    this.fault = fault;
  }
}

/** Tokens of a YAML text. Throws TooMuch at the first token beyond a limit, before anything is built. */
function* tokensOf(text: string, maxTokens: number): Generator<string> {
  const count = { tokens: 0, aliases: 0, depth: 0, dashes: 0 };
  const lines = linesOf(text);
  if (lines.length > maxTokens)
    throw new TooMuch({ offset: lines[maxTokens]!, message: tooLong(maxTokens, 'lines') });
  let [offset, isScalar] = [0, false];
  for (const token of new Lexer().lex(text)) {
    if (!isScalar) countToken(token, count);
    const message = excessMessage(count, maxTokens);
    if (message !== undefined) throw new TooMuch({ offset, message });
    yield token;
    isScalar = token === SCALAR;
    if (!LEXER_MARKS.includes(token)) offset += token.length;
  }
}

interface Count {
  tokens: number;
  aliases: number;
  /** Open brackets. */
  depth: number;
  /** Nested lists and keys that start on one line. */
  dashes: number;
}

function countToken(token: string, count: Count): void {
  count.tokens += 1;
  const [first] = token;
  if (first === '&' || first === '*' || first === '%') count.aliases += 1;
  else if (token === '[' || token === '{') count.depth += 1;
  else if (token === ']' || token === '}') count.depth -= 1;
  else if (token === '-' || token === '?') count.dashes += 1;
  else if (first === '\n' || first === '\r') count.dashes = 0;
}

function excessMessage({ tokens, aliases, depth, dashes }: Count, most: number): string | undefined {
  if (depth > MAX_DEPTH || dashes > MAX_DEPTH) return TOO_DEEP;
  if (aliases > MAX_ALIASES) return `has more than ${MAX_ALIASES} anchors, aliases and directives`;
  if (tokens <= most) return undefined;
  return tooLong(most, 'tokens');
}

const tooLong = (most: number, unit: 'lines' | 'tokens') =>
  `is too long to be read as YAML: it has more than ${most} ${unit}; JSON is read faster`;

/**
 * The value of a large YAML file that people or other programs have written, such as an OpenAPI document. Throws SyntaxError,
 * whose message names the line.
 */
export function valueOfYaml(text: string): unknown {
  const { value, faults } = runSync(readYaml(text, MAX_TOKENS.document));
  const [fault] = faults;
  if (!fault) return value;
  const { line, column } = positionIn(linesOf(text), fault.offset);
  throw new SyntaxError(`line ${line}, column ${column}: ${fault.message}`);
}
