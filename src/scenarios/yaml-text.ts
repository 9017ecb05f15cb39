import { Composer, isAlias, isMap, isScalar, isSeq, Lexer, Parser, type Document } from 'yaml';
import { MAX_DEPTH } from '../contract/body.ts';
import { TOO_DEEP, type ReadText, type TextFault } from './json-text.ts';
import type { Path } from './path.ts';
import { faultsIn } from './yaml-faults.ts';

export function readYaml(text: string): ReadText {
  try {
    const document = compose(text);
    const faults = faultsIn(document, text);
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
function compose(text: string): Document.Parsed {
  const parser = new Parser();
  function* tokens() {
    for (const token of tokensOf(text)) yield* parser.next(token);
    yield* parser.end();
  }
  const composer = new Composer({ uniqueKeys: false });
  let found: Document.Parsed | undefined;
  for (const document of composer.compose(tokens(), true, text.length)) {
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

/** Words, brackets, spaces and line ends; a rule has about 50. */
const MAX_TOKENS = 80_000;
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
function* tokensOf(text: string): Generator<string> {
  const count = { tokens: 0, aliases: 0, depth: 0, dashes: 0 };
  let [offset, isScalar] = [0, false];
  for (const token of new Lexer().lex(text)) {
    if (!isScalar) countToken(token, count);
    const message = excessMessage(count);
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

function excessMessage({ tokens, aliases, depth, dashes }: Count): string | undefined {
  if (depth > MAX_DEPTH || dashes > MAX_DEPTH) return TOO_DEEP;
  if (aliases > MAX_ALIASES) return `has more than ${MAX_ALIASES} anchors, aliases and directives`;
  if (tokens <= MAX_TOKENS) return undefined;
  return `is too long to be read as YAML: it has more than ${MAX_TOKENS} tokens; JSON is read faster`;
}
