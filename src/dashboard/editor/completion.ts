import type { Completion, CompletionContext, CompletionResult } from '@codemirror/autocomplete';
import { placeIn, type Place } from './yaml-place.ts';
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
