import type { Booted } from './boot.ts';
import type { Row } from '../../src/store/change-log.ts';

/** How many other calls the simulator answers while this one is handled. */
export async function servedDuring({ control }: Booted, call: PromiseLike<unknown>): Promise<number> {
  let [isDone, served] = [false, 0];
  const done = Promise.resolve(call).finally(() => (isDone = true));
  done.catch(() => {}); // thrown below
  while (!isDone) {
    await control.get('/clock').expect(200);
    served += 1;
  }
  await done;
  return served;
}

/** Adds so many copies of the collection's first row. */
export function multiply({ own }: Booted, collection: string, count: number, change: (n: number) => object) {
  const state: Record<string, readonly Row[]> = own.collections();
  const [first] = state[collection]!;
  const rows = Array.from({ length: count }, (_, n) => ({
    ...first!,
    id: copyOf(first!.id, n),
    ...change(n),
  }));
  own.savePoints.replaceRows({ ...state, [collection]: [...state[collection]!, ...rows] });
}

export const copyOf = (id: string, n: number): string =>
  id.replace(/\d+$/, String(30_000_000_000_000_000n + BigInt(n)));
