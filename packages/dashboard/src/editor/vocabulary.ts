import schema from '../../../../scenarios/scenario.schema.json' with { type: 'json' };
import type { Collection } from '@understudy/client/control';
import { environment } from '../session.ts';
import { loadRowSchemas } from '../state/row-schema.ts';

/** What a scenario may name in this environment. */
export interface Vocabulary {
  operations: readonly Word[];
  /** Statuses that the contract documents. */
  statuses: readonly string[];
  /** Ids of rows, with their collection. */
  ids: readonly Word[];
  /** Members of rows, by collection. */
  members: ReadonlyMap<string, readonly string[]>;
}

interface Word {
  label: string;
  detail: string;
}

const MOST_IDS = 2000;

export async function loadVocabulary(): Promise<Vocabulary> {
  const { state } = environment.value;
  const [coverage, counts, schemas] = await Promise.all([
    environment.value.coverage(),
    state.counts(),
    loadRowSchemas(),
  ]);
  const collections = Object.keys(counts) as Collection[];
  return {
    operations: coverage.operations.map(({ id, summary }) => ({ label: id, detail: summary })),
    statuses: [...new Set(coverage.operations.flatMap(({ declared }) => declared).map(String))].toSorted(),
    ids: await newestIds(collections.filter((collection) => counts[collection] > 0)),
    members: new Map(
      collections.map((collection) => [collection, Object.keys(schemas.of(collection)?.properties ?? {})]),
    ),
  };
}

/** Of each collection the same number: who writes a scenario names rows that were just made. */
async function newestIds(collections: readonly Collection[]): Promise<Word[]> {
  const limit = Math.floor(MOST_IDS / Math.max(2, collections.length));
  const read = collections.map(async (collection) => {
    const rows = await environment.value.state.list(collection, { reverse: true, limit });
    return rows.map(({ id }) => ({ label: id, detail: collection }));
  });
  return (await Promise.all(read)).flat();
}

/** What the completion reads of the scenario schema. */
interface Node {
  $ref?: string;
  type?: string | readonly string[];
  description?: string;
  title?: string;
  enum?: readonly unknown[];
  const?: unknown;
  properties?: Readonly<Record<string, Node>>;
  additionalProperties?: boolean | Node;
  items?: Node;
  anyOf?: readonly Node[];
  oneOf?: readonly Node[];
  allOf?: readonly Node[];
  examples?: readonly unknown[];
}

const root = schema as Node & { $defs: Readonly<Record<string, Node>> };

/** The schemas that a value at the path may have. */
export function schemasAt(path: readonly string[]): Node[] {
  return path.reduce<Node[]>(
    (nodes, step) =>
      nodes
        .flatMap(({ properties, additionalProperties, items }) => {
          if (step === '[]') return items ? [items] : [];
          const known = properties?.[step];
          if (known) return [known];
          return typeof additionalProperties === 'object' ? [additionalProperties] : [];
        })
        .flatMap(variantsOf),
    variantsOf(root),
  );
}

function variantsOf(node: Node): Node[] {
  const target = node.$ref === undefined ? [] : variantsOf(root.$defs[node.$ref.split('/').at(-1)!] ?? {});
  const parts = [...(node.anyOf ?? []), ...(node.oneOf ?? []), ...(node.allOf ?? [])];
  return [node, ...target, ...parts.flatMap(variantsOf)];
}
