import { findNodeAtLocation, parseTree, type Node } from 'jsonc-parser';
import { MAX_DEPTH } from '../contract/body.ts';
import type { Path } from './path.ts';
import { TOO_DEEP, type ReadText, type TextFault } from './read-text.ts';

/** Objects, lists and their members; a rule has about ten. */
const MAX_VALUES = 120_000;

/** Undefined if the text is not JSON. JSON is YAML, too, but the YAML parser takes a hundred times as long. */
export function readJson(text: string): ReadText | undefined {
  const parsed = parse(text);
  if (!parsed) return undefined;
  const { value } = parsed;
  const excess = findExcess(value);
  if (excess) return { value, faults: [{ offset: 0, message: excess }], offsetOf: () => 0 };
  const root = parseTree(text)!;
  return { value, faults: findDuplicateKey(root), offsetOf: (path, part) => offsetOf(path, part, root) };
}

function parse(text: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined; // YAML, or invalid
  }
}

/** Why the value is too large to be looked at. */
function findExcess(whole: unknown): string | undefined {
  let values = 0;
  const rest = [{ value: whole, depth: 0 }];
  for (let next = rest.pop(); next; next = rest.pop()) {
    const { value, depth } = next;
    if (typeof value !== 'object' || value === null) continue;
    if (depth === MAX_DEPTH) return TOO_DEEP;
    const members = Object.values(value) as unknown[];
    values += members.length;
    if (values > MAX_VALUES) return `has more than ${MAX_VALUES} values`;
    for (const member of members)
      if (typeof member === 'object') rest.push({ value: member, depth: depth + 1 });
  }
  return undefined;
}

function findDuplicateKey(root: Node): TextFault[] {
  const rest = [root];
  for (let node = rest.pop(); node; node = rest.pop()) {
    const keys = new Set<unknown>();
    for (const child of node.children ?? []) {
      const [key] = child.type === 'property' ? (child.children ?? []) : [];
      if (key && keys.has(key.value))
        return [{ offset: key.offset, message: `the key ${String(key.value)} comes twice` }];
      keys.add(key?.value);
      rest.push(child);
    }
  }
  return [];
}

function offsetOf(path: Path, part: 'key' | 'value', root: Node): number {
  for (let length = path.length; length > 0; length -= 1) {
    const node = findNodeAtLocation(root, path.slice(0, length));
    if (!node) continue;
    const isKey = part === 'key' && length === path.length && node.parent?.type === 'property';
    return isKey ? node.parent!.offset : node.offset;
  }
  return root.offset;
}
