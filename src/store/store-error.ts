/** Its message is one clear line for a person. */
export class StoreError extends Error {
  override readonly name = 'StoreError';

  static from(where: string, thrown: unknown): StoreError {
    if (thrown instanceof StoreError) return thrown;
    const reason = thrown instanceof Error ? thrown.message : String(thrown);
    return new StoreError(`${where}: ${reason}`, { cause: thrown });
  }
}
