import { evidenceFor } from '@understudy/client/evidence';
import { isObject } from '@understudy/text/json';
import type { Difference } from './difference.ts';

/** Words that say in which order a list comes. */
const ORDER = /\b(newest|oldest|latest|best) first\b|\bsorted by\b|\bin alphabetical order\b/i;

/** What the served document says about operations beside their schemas: the order of lists, and rules that are guesses. */
export class Ledger {
  readonly #document: object;
  readonly #ordered = new Set<string>();

  constructor(document: object) {
    this.#document = document;
    const { paths = {} } = document as { paths?: Record<string, object> };
    for (const found of Object.values(paths).flatMap((item) => Object.values(item) as unknown[]))
      if (isObject(found) && ORDER.test(String(found['description'])))
        this.#ordered.add(String(found['operationId']));
  }

  isOrdered(operation: string): boolean {
    return this.#ordered.has(operation);
  }

  /** The guessed rules of the operation that speak of what differs. */
  rulesFor(
    operation: string,
    { at, kind, ours, theirs }: Pick<Difference, 'at' | 'kind' | 'ours' | 'theirs'>,
  ): string[] {
    const rules = evidenceFor(this.#document, operation)?.unknown ?? [];
    const field = at.slice(at.lastIndexOf('.') + 1).replace('[]', '');
    const words = [
      field,
      ...[ours, theirs].filter((value) => typeof value === 'string' || typeof value === 'number').map(String),
    ];
    const isTold = (rule: string) =>
      words.some((word) => word.length > 2 && hasWord(rule, word)) ||
      (kind === 'order' && /order|first/.test(rule));
    return rules.filter(({ rule }) => isTold(rule)).map(({ id }) => id);
  }
}

const hasWord = (text: string, word: string) => ` ${text.replaceAll(/[^\w.-]/g, ' ')} `.includes(` ${word} `);
