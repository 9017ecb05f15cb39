import { Parser } from 'yaml';
import type { CST } from 'yaml';

/** The offset of the last bracket before `before` that is not closed. */
export function findUnclosed(text: string, bracket: '{' | '[', before: number): number | undefined {
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
