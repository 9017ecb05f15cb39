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
} from 'yaml';
import { MAX_COUNTED } from './complaints.ts';
import { TOO_DEEP, type TextFault } from './json-text.ts';

type Problem = Pick<YAMLParseError, 'code' | 'message' | 'pos'>;

/** What is wrong with a YAML text; empty if nothing is. */
export function faultsIn(document: Document.Parsed, text: string): TextFault[] {
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
  if (code === 'MULTIPLE_DOCS') return 'a scenario is one YAML document, but a second one begins here';
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
