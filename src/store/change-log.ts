/** A stored row. Rows are frozen; a write puts a new object. */
export type Row = { readonly id: string } & Readonly<Record<string, unknown>>;

/** One row as it is after a commit; `null`: it is gone. */
export type Change = { collection: string; id: string; row: Row | null };

export type Collections = Record<string, readonly Row[]>;

export interface Commit {
  /** Where the changes start from, when not from the commit before: the fixture, or these rows. */
  base?: 'fixture' | Collections;
  changes: readonly Change[];
  /** Generators and clock after the commit; the store does not look inside. */
  marks: unknown;
}

/** Where commits go. Nothing else may know that. */
export interface ChangeLog {
  /** Position of the next commit. */
  readonly end: number;
  /** Kept against the death of the process once it returns. Throws when `position` is not `end` (someone else wrote). */
  append(position: number, commit: Commit): void;
  /** All commits from that position on, oldest first. */
  read(from: number): Iterable<Commit>;
}
