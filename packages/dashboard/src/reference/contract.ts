import { signal } from '@preact/signals';
import type {
  DocumentName,
  IndexedOperation,
  ReferenceIndex,
  ReferenceOperation,
  ReferenceSchema,
} from '../server/reference/shapes.ts';
import { wordsOf } from '@understudy/text/words';

/** What the reader has last searched for: the way back leads to the same list. */
export const searched = signal('');

const kept = new Map<string, Promise<unknown>>();

/** A piece of the contract, read once. */
function read<T>(path: string, missing: string): Promise<T> {
  const known = kept.get(path) ?? fetchPiece(path, missing);
  kept.set(path, known);
  known.catch(() => kept.delete(path));
  return known as Promise<T>;
}

async function fetchPiece(path: string, missing: string): Promise<unknown> {
  const response = await fetch(`reference/${path}`);
  if (response.ok) return response.json();
  throw new Error(response.status === 404 ? missing : `/_control/reference answers ${response.status}`);
}

export const readIndex = (): Promise<ReferenceIndex> => read('index.json', 'There is no index.');

/** `decided`: the unknown rules that decided a call, which come first then. */
export function readOperation(id: string, decided: readonly string[] = []): Promise<ReferenceOperation> {
  const asked = decided.length > 0 ? `?${new URLSearchParams({ decided: decided.join() })}` : '';
  const path = `operations/${encodeURIComponent(id)}.json${asked}`;
  return read(path, `The contract has no operation ${id}.`);
}

export const readSchema = (document: DocumentName, name: string): Promise<ReferenceSchema> =>
  read(`schemas/${document}/${encodeURIComponent(name)}.json`, `The contract has no schema ${name}.`);

/** What a word counts where it is found. */
const WEIGHTS = { title: 12, path: 5, words: 1 } as const;

/** The operations that have every word of the query, the best first. Words of a kind count as one: invite, invitation. */
export function searchOperations(index: ReferenceIndex, query: string): IndexedOperation[] {
  const stems = wordsOf(query).map(stemOf);
  if (stems.length === 0) return index.operations;
  return index.operations
    .map((operation) => ({ operation, score: scoreOf(operation, stems) }))
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score)
    .map(({ operation }) => operation);
}

function scoreOf(operation: IndexedOperation, stems: readonly string[]): number {
  const { id, summary, tag, method, path, words } = operation;
  const places = [
    [`${id} ${summary}`.toLowerCase(), WEIGHTS.title],
    [`${method} ${path} ${tag}`.toLowerCase(), WEIGHTS.path],
    [words, WEIGHTS.words],
  ] as const;
  let score = 0;
  for (const stem of stems) {
    const found = places.filter(([text]) => text.includes(stem));
    if (found.length === 0) return 0;
    for (const [, weight] of found) score += weight;
  }
  // A test calls the service more often than it calls the control API.
  return operation.document === 'service' ? score + 0.5 : score;
}

const ENDING = /(ations?|ing|ed|es|e|s)$/;
const SHORTEST_STEM = 4;

function stemOf(word: string): string {
  const stem = word.replace(ENDING, '');
  return stem.length >= SHORTEST_STEM ? stem : word;
}

/** Such as `/api/v1/users/{id}`, where `id` is a variable. */
export const variablesOf = (path: string): string[] =>
  Array.from(path.matchAll(/\{(?:\*\*)?([^}]*)\}/g), ([, name = '']) => name);
