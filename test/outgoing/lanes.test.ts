import { describe, expect, it } from 'vitest';
import { Lanes } from '../../src/outgoing/lanes.ts';

/** A task that goes on until it is told to end. */
function held() {
  let end = (): void => undefined;
  const task = () => new Promise<void>((resolve) => (end = resolve));
  return { task, end: () => end() };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('lanes', () => {
  it('run four at once for a host, the others in order as places come free', async () => {
    const lanes = new Lanes();
    const begun: string[] = [];
    const tasks = Array.from({ length: 6 }, held);
    const all = tasks.map(({ task }, index) =>
      lanes.run({ id: `out_${index}`, host: 'dead.example' }, () => {
        begun.push(`out_${index}`);
        return task();
      }),
    );

    await lanes.run({ id: 'out_9', host: 'well.example' }, async () => void begun.push('out_9'));
    expect(begun).toEqual(['out_0', 'out_1', 'out_2', 'out_3', 'out_9']);
    tasks[2]!.end();
    await settled();
    expect(begun.at(-1)).toBe('out_4');
    for (const { end } of tasks) {
      end();
      await settled();
    }
    tasks[5]!.end();
    await Promise.all(all);

    expect(begun.at(-1)).toBe('out_5');
  });

  it('run what is under way no second time, and what has failed again', async () => {
    const lanes = new Lanes();
    const { task, end } = held();
    let runs = 0;
    const count = () => {
      runs += 1;
      return task();
    };
    const errand = { id: 'out_1', host: 'a.example' };

    const first = lanes.run(errand, count);
    await lanes.run(errand, count);
    expect(runs).toBe(1);
    end();
    await first;
    await expect(lanes.run(errand, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    await lanes.run(errand, async () => void (runs += 1));

    expect(runs).toBe(2);
  });
});
