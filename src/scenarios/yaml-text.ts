import { Composer, isAlias, isMap, isScalar, isSeq, Parser, visit } from 'yaml';
import type { Alias, Document, ParsedNode, YAMLMap, YAMLParseError } from 'yaml';
import type { ReadText, TextFault } from './json-text.ts';
import type { Path } from './path.ts';
import { ENOUGH } from './scenario-error.ts';
import { findUnclosed } from './unclosed.ts';
import { TOO_DEEP, tokensOf, TooMuch } from './yaml-limits.ts';

type Problem = Pick<YAMLParseError, 'code' | 'message' | 'pos'>;

export function readYaml(text: string): ReadText {
  try {
    const document = compose(text);
    const broken = [...document.errors, ...document.warnings, ...duplicates(document)];
    const problems = causes(broken.toSorted((a, b) => a.pos[0] - b.pos[0]));
    const faults = problems.map((problem) => faultOf(problem, text));
    const stray = faults.length === 0 ? strayAlias(document) : undefined;
    if (stray) faults.push(stray);
    const offsetOf = (path: Path, part: 'key' | 'value') => offsetIn(document, path, part);
    return faults.length > 0 ? { value: undefined, faults, offsetOf } : { ...unfold(document), offsetOf };
  } catch (thrown) {
    if (!(thrown instanceof TooMuch)) throw thrown;
    return { value: undefined, faults: [thrown.fault], offsetOf: () => 0 };
  }
}

/** As the library's `parseDocument`, but within limits; keys that come twice are looked for afterwards. */
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

/** The library compares each key with all others of its map. */
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
      return found.length > ENOUGH ? visit.BREAK : undefined;
    },
  });
  return found;
}

/** The parser goes on after broken syntax, and what it says from there on is mostly a consequence. */
function causes(problems: readonly Problem[]): readonly Problem[] {
  const first = problems.findIndex(({ code }) => code !== 'DUPLICATE_KEY' && code !== 'TAG_RESOLVE_FAILED');
  return first < 0 ? problems : problems.slice(0, first + 1);
}

/** A bracket that is not closed is told where it stands, not where the text ends without it. */
function faultOf(problem: Problem, text: string): TextFault {
  const [, closing] = /^Flow .* end with a ([}\]])$/.exec(problem.message) ?? [];
  const bracket = closing === '}' ? '{' : '[';
  const start = closing && findUnclosed(text, bracket, problem.pos[0]);
  return typeof start === 'number'
    ? { offset: start, message: `this ${bracket} is not closed by a ${closing}` }
    : { offset: problem.pos[0], message: wordingOf(problem, text) };
}

/** Where the parser's own words would not help. */
function wordingOf({ code, message, pos: [offset, end] }: Problem, text: string): string {
  if (code === 'DUPLICATE_KEY') return `the key ${keyAt(text, offset, end)} comes twice`;
  if (code === 'TAB_AS_INDENT') return 'YAML is indented with spaces, not with tabs';
  if (code === 'MULTIPLE_DOCS') return 'a text holds one scenario, and here a second one begins';
  if (text.startsWith('${', offset - 1)) return 'between { } or [ ], a placeholder is put in quotes';
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
  const message = `*${found.source} is an alias of nothing; a text that begins with * is put in quotes`;
  return { offset: found.range?.[0] ?? 0, message };
}

function unfold(document: Document.Parsed): Pick<ReadText, 'value' | 'faults'> {
  try {
    return { value: document.toJS() as unknown, faults: [] };
  } catch (thrown) {
    // Aliases that would unfold without end.
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
