import { createHash } from 'node:crypto';
import { ApiError } from '../errors.ts';
import { TextReply } from './handler.ts';

/** Names one content of a row. Rows are frozen, so each is hashed once. */
const versions = new WeakMap<object, string>();

export function versionOf(row: object): string {
  const known =
    versions.get(row) ?? createHash('sha256').update(JSON.stringify(row)).digest('hex').slice(0, 16);
  versions.set(row, known);
  return known;
}

/** The row, with its version in the header `etag`. */
export const rowReply = (row: object): TextReply =>
  new TextReply('application/json', JSON.stringify(row), { etag: `"${versionOf(row)}"` });

/** Somebody has changed the row. The reply has the row as it is, so that the caller can compare. */
class RowChanged extends ApiError {
  readonly #row: object;

  constructor(message: string, row: object) {
    super('version_mismatch', message);
    this.#row = row;
  }

  override envelope(): Record<string, unknown> {
    return { ...super.envelope(), row: this.#row, version: versionOf(this.#row) };
  }
}

/** `ifMatch`: the header `if-match`. Throws `version_mismatch` if the row is another one than the caller has read. */
export function refuseChanged(name: string, row: object, ifMatch: string | undefined): void {
  if (ifMatch === undefined || ifMatch === '*') return;
  const [wanted, version] = [ifMatch.replaceAll('"', ''), versionOf(row)];
  if (wanted !== version)
    throw new RowChanged(`${name} has changed since version ${wanted}: it has version ${version} now`, row);
}
