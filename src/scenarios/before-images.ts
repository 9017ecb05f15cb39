import type { RowChange, Env } from '../environment/env.ts';
import { danglingReferences, anyTable } from '../environment/rows/cascade.ts';

/** A row before a scenario changed it for the first time. */
export interface BeforeImage {
  readonly owner: string;
  readonly change: RowChange;
}

/** The rows that scenarios with `restore` put back, in the order of the changes. */
export class BeforeImages {
  #images: readonly BeforeImage[] = [];

  note(owner: string, changes: readonly RowChange[]): void {
    const isNew = (change: RowChange) =>
      !this.#images.some((image) => image.owner === owner && isSameRow(image.change, change));
    this.#images = [...this.#images, ...changes.filter(isNew).map((change) => ({ owner, change }))];
  }

  /**
   * Removes the owner's images and returns the changes to undo. If another scenario changed the row later, that
   * scenario wins; its image gets the original row, which returns when it is unloaded.
   */
  release(owner: string): RowChange[] {
    const undo: RowChange[] = [];
    for (const image of this.#images.filter((each) => each.owner === owner)) {
      const later = this.#images
        .slice(this.#images.indexOf(image) + 1)
        .find((each) => each.owner !== owner && isSameRow(each.change, image.change));
      if (later) this.#replaceBefore(later, image.change);
      else undo.push(image.change);
    }
    this.#images = this.#images.filter((each) => each.owner !== owner);
    return undo;
  }

  save(): readonly BeforeImage[] {
    return this.#images;
  }

  restore(images: readonly BeforeImage[]): void {
    this.#images = images;
  }

  #replaceBefore(later: BeforeImage, { before, position }: RowChange): void {
    const change = { ...later.change, before, position };
    this.#images = this.#images.map((each) => (each === later ? { ...each, change } : each));
  }
}

const isSameRow = (a: RowChange, b: RowChange) => a.collection === b.collection && a.id === b.id;

/**
 * Restores rows, whatever happened to them since, at their old positions. New rows are removed with the rows that
 * depend on them. A restored row that refers to a missing row is removed.
 */
export function restoreRows(env: Env, changes: readonly RowChange[]): void {
  for (const { collection, id, before } of changes)
    if (!before && anyTable(env, collection).find(id)) env.remove(collection, id);
  for (const { collection, position, before } of changes)
    if (before) anyTable(env, collection).restoreRow(position, before as never);
  for (const { collection, id } of changes) {
    const row = anyTable(env, collection).find(id);
    if (row && danglingReferences(env, collection, row).length > 0) env.remove(collection, id);
  }
}
