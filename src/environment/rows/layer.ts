import { Overlay } from './positions.ts';
import type { RowBase } from './table-seed.ts';

/**
 * What an environment has of its own in one table, over the rows of its seed. Save points and environments share one; who writes
 * takes a copy first.
 */
export class Layer<T extends RowBase> {
  /** Own rows, and `undefined` for rows of the seed that are gone. */
  readonly rows: Map<number, T | undefined>;
  readonly ids: Map<string, number>;
  readonly #overlays: Map<string, Overlay>;
  /** Position of the next row. */
  next: number;

  /** Nothing of its own over a seed of that many rows, or the same as another layer. */
  constructor(from: number | Layer<T>) {
    const isEmpty = typeof from === 'number';
    this.rows = new Map(isEmpty ? undefined : from.rows);
    this.ids = new Map(isEmpty ? undefined : from.ids);
    this.#overlays = new Map(isEmpty ? undefined : from.#overlays);
    this.next = isEmpty ? from : from.next;
  }

  at(position: number, seed: readonly T[]): T | undefined {
    return this.rows.has(position) ? this.rows.get(position) : seed[position];
  }

  /** What is laid over one list of the seed. */
  overlay(list: string): Overlay | undefined {
    return this.#overlays.get(list);
  }

  /** A position joins the list, or leaves it. */
  move(list: string, position: number, present: boolean, inSeed: boolean): void {
    const overlay = this.#ownOverlay(list);
    if (present) overlay.add(position, inSeed);
    else overlay.remove(position, inSeed);
    if (overlay.added.length === 0 && overlay.removed.size === 0) this.#overlays.delete(list);
  }

  /** Copied layers share their overlays, until one of them writes. */
  #ownOverlay(list: string): Overlay {
    const known = this.#overlays.get(list);
    if (known?.owner === this) return known;
    const own = new Overlay(this, known);
    this.#overlays.set(list, own);
    return own;
  }
}
