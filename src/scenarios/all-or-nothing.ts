interface Restorable<T> {
  save(): T;
  restore(saved: T): void;
}

/** When `run` throws, what it has changed there is as it was. */
export function allOrNothing<T>(part: Restorable<T>, run: () => void): void {
  const before = part.save();
  try {
    run();
  } catch (thrown) {
    part.restore(before);
    throw thrown;
  }
}
