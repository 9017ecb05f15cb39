import type { Completion, CompletionContext, CompletionResult } from '@codemirror/autocomplete';
import { schemasAt, type Vocabulary } from './vocabulary.ts';

/** Completes what the scenario schema knows, and the operations and rows of the environment. */
export const completionOf =
  (vocabulary: () => Vocabulary | undefined) =>
  (context: CompletionContext): CompletionResult | null => {
    const place = placeIn(context.state.sliceDoc(0, context.pos));
    if (
      place.word === '' &&
      !context.explicit &&
      !/[:{[,-] $/.test(context.state.sliceDoc(context.pos - 2, context.pos))
    )
      return null;
    const known = vocabulary();
    const options =
      place.writes === 'key' ? [...keysAt(place, known), ...valuesAt(place, known)] : valuesAt(place, known);
    if (options.length === 0) return null;
    return { from: context.pos - place.word.length, options, validFor: /^[\w.*$-]*$/ };
  };

function keysAt({ path }: Place, known: Vocabulary | undefined): Completion[] {
  const named = schemasAt(path).flatMap(({ properties = {} }) => Object.entries(properties));
  const fromSchema = named.map(([label, { description = '' }]) => ({
    label,
    type: 'property',
    info: description,
    apply: `${label}: `,
  }));
  const collection = path[path.lastIndexOf('[]') - 1] ?? '';
  const isRow = ['match', 'set', 'insert'].includes(path.at(-1) ?? '');
  const members = isRow ? (known?.members.get(collection) ?? []) : [];
  return [...fromSchema, ...members.map((label) => ({ label, type: 'property', apply: `${label}: ` }))];
}

function valuesAt({ path, writes }: Place, known: Vocabulary | undefined): Completion[] {
  const last = path.findLast((step) => step !== '[]');
  if (last === 'on') return (known?.operations ?? []).map((word) => ({ ...word, type: 'function' }));
  if (writes === 'key') return [];
  if (last === 'status') return (known?.statuses ?? []).map((label) => ({ label, type: 'constant' }));
  const values = schemasAt(path).flatMap(({ enum: listed = [], const: only, type, examples = [] }) => [
    ...listed,
    ...(only === undefined ? [] : [only]),
    ...(type === 'boolean' ? [true, false] : []),
    ...examples.filter((each) => typeof each === 'string'),
  ]);
  const ids = /(^|_)ids?$/.test(last ?? '') ? (known?.ids ?? []) : [];
  return [
    ...[...new Set(values.map(String))].map((label) => ({ label, type: 'enum' })),
    ...ids.map((word) => ({ ...word, type: 'variable' })),
  ];
}

/** Where the cursor is in a YAML text: the members around it, `[]` for an element of a list. */
interface Place {
  path: readonly string[];
  /** Whether the name of a member is being written, or its value. */
  writes: 'key' | 'value';
  /** The part of the word before the cursor. */
  word: string;
}

interface Level {
  indent: number;
  key: string;
}

/** Reads the lines up to the cursor; they need not be valid YAML yet. */
function placeIn(textBefore: string): Place {
  const lines = textBefore.split('\n');
  const levels: Level[] = [];
  for (const line of lines.slice(0, -1)) enter(levels, line);
  const { indent, rest } = openList(levels, lines.at(-1)!);
  close(levels, indent);
  const [, key, value] = /^["']?([\w.$*-]+)["']?:\s+(.*)$/.exec(rest) ?? [];
  const path = levels.map((level) => level.key);
  if (key === undefined || value === undefined)
    return /^[[{]/.test(rest) ? flowPlace(path, rest) : { path, writes: 'key', word: wordOf(rest) };
  return flowPlace([...path, key], value);
}

function enter(levels: Level[], line: string): void {
  if (line.trim() === '' || line.trim().startsWith('#')) return;
  const { indent, rest } = openList(levels, line);
  const [, key] = /^["']?([\w.$*-]+)["']?:(\s|$)/.exec(rest) ?? [];
  close(levels, indent);
  if (key !== undefined) levels.push({ indent, key });
}

/** Enters a list element for each `- `. Returns where the rest of the line begins. */
function openList(levels: Level[], line: string): { indent: number; rest: string } {
  let rest = line.trimStart();
  let indent = line.length - rest.length;
  while (rest.startsWith('- ') || rest === '-') {
    while (levels.length > 0 && isClosedByDash(levels.at(-1)!, indent)) levels.pop();
    levels.push({ indent, key: '[]' });
    const next = rest.slice(1).trimStart();
    indent += rest.length - next.length;
    rest = next;
  }
  return { indent, rest };
}

/** A list may stand at the same column as the member that has it. */
const isClosedByDash = (level: Level, indent: number) =>
  level.indent > indent || (level.indent === indent && level.key === '[]');

/** A level is over when a line begins at its column or before. An element of a list begins after its dash. */
function close(levels: Level[], indent: number): void {
  while (levels.length > 0 && levels.at(-1)!.indent >= indent) levels.pop();
}

/** Follows `{ key: value, … }` and `[ … ]` within a line. */
function flowPlace(path: readonly string[], value: string): Place {
  const open: { isMap: boolean; key: string | undefined }[] = [];
  let word = '';
  for (const character of value) {
    const inner = open.at(-1);
    if (character === '{' || character === '[') {
      open.push({ isMap: character === '{', key: undefined });
      word = '';
    } else if (character === '}' || character === ']') open.pop();
    else if (character === ',') {
      if (inner?.isMap) inner.key = undefined;
      word = '';
    } else if (character === ':' && inner?.isMap && inner.key === undefined) {
      inner.key = wordOf(word).replaceAll(/["']/g, '');
      word = '';
    } else word += character;
  }
  const steps = open.flatMap(({ isMap, key }) => (isMap ? (key === undefined ? [] : [key]) : ['[]']));
  const last = open.at(-1);
  return {
    path: [...path, ...steps],
    writes: last?.isMap && last.key === undefined ? 'key' : 'value',
    word: wordOf(word),
  };
}

const wordOf = (text: string) => /[\w.*$-]*$/.exec(text)![0];
