import type { RowChange, Env } from '../environment/env.ts';
import { danglingReferences, anyTable } from '../environment/rows/cascade.ts';

/** A row as it was before a scenario changed it for the first time. */
export interface Image {
  readonly owner: string;
  readonly change: RowChange;
}

/** What scenarios with `restore` have to put back, in the order in which they changed it. */
export class BeforeImages {
  #images: readonly Image[] = [];

  note(owner: string, changes: readonly RowChange[]): void {
    const isNew = (change: RowChange) =>
      !this.#images.some((image) => image.owner === owner && isSameRow(image.change, change));
    this.#images = [...this.#images, ...changes.filter(isNew).map((change) => ({ owner, change }))];
  }

  /**
   * What is to be put back now that the owner goes, and is forgotten. A row that another scenario has changed since
   * stays as that one wants it: when that one goes, the row becomes what it was before both.
   */
  release(owner: string): RowChange[] {
    const back: RowChange[] = [];
    for (const image of this.#images.filter((each) => each.owner === owner)) {
      const later = this.#images
        .slice(this.#images.indexOf(image) + 1)
        .find((each) => each.owner !== owner && isSameRow(each.change, image.change));
      if (later) this.#exchange(later, image.change);
      else back.push(image.change);
    }
    this.#images = this.#images.filter((each) => each.owner !== owner);
    return back;
  }

  save(): readonly Image[] {
    return this.#images;
  }

  restore(images: readonly Image[]): void {
    this.#images = images;
  }

  #exchange(later: Image, { before, position }: RowChange): void {
    const change = { ...later.change, before, position };
    this.#images = this.#images.map((each) => (each === later ? { ...each, change } : each));
  }
}

const isSameRow = (a: RowChange, b: RowChange) => a.collection === b.collection && a.id === b.id;

/**
 * Rows become what they were before the changes, whatever has happened to them since: those that were there stand in
 * their old places, those that were not are gone with all that hangs on them. A row that names one which has gone in
 * the meantime can't come back.
 */
export function putBack(env: Env, changes: readonly RowChange[]): void {
  for (const { collection, id, before } of changes)
    if (!before && anyTable(env, collection).find(id)) env.remove(collection, id);
  for (const { collection, position, before } of changes)
    if (before) anyTable(env, collection).restoreRow(position, before as never);
  for (const { collection, id } of changes) {
    const row = anyTable(env, collection).find(id);
    if (row && danglingReferences(env, collection, row).length > 0) env.remove(collection, id);
  }
}
