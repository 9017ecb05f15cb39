import { Overlay } from './positions.ts';
import type { RowBase } from './positions.ts';

/**
 * An environment's own rows of one table, over the fixture's rows. Save points and environments share a layer until
 * one of them writes.
 */
export class Layer<T extends RowBase> {
  /** Own rows, and `undefined` for removed rows of the fixture. */
  readonly rows: Map<number, T | undefined>;
  readonly ids: Map<string, number>;
  readonly #overlays: Map<string, Overlay>;
  /** The position of the next row. */
  next: number;

  /** An empty layer over so many fixture rows, or a copy. */
  constructor(from: number | Layer<T>) {
    const isEmpty = typeof from === 'number';
    this.rows = new Map(isEmpty ? undefined : from.rows);
    this.ids = new Map(isEmpty ? undefined : from.ids);
    this.#overlays = new Map(isEmpty ? undefined : from.#overlays);
    this.next = isEmpty ? from : from.next;
  }

  at(position: number, fixture: readonly T[]): T | undefined {
    return this.rows.has(position) ? this.rows.get(position) : fixture[position];
  }

  /** The changes of one position list. */
  overlay(list: string): Overlay | undefined {
    return this.#overlays.get(list);
  }

  /** Adds a position to the list or removes it. */
  move(list: string, position: number, present: boolean, inFixture: boolean): void {
    const overlay = this.#ownOverlay(list);
    if (present) overlay.add(position, inFixture);
    else overlay.remove(position, inFixture);
    if (overlay.added.length === 0 && overlay.removed.size === 0) this.#overlays.delete(list);
  }

  /** Copied layers share their overlays until one of them writes. */
  #ownOverlay(list: string): Overlay {
    const known = this.#overlays.get(list);
    if (known?.owner === this) return known;
    const own = new Overlay(this, known);
    this.#overlays.set(list, own);
    return own;
  }
}
