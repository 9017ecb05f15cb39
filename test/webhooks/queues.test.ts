import { describe, expect, it } from 'vitest';
import { Queues } from '../../src/webhooks/dispatcher.ts';

/** A task that runs until `end` is called. */
function held() {
  let end = (): void => undefined;
  const task = () => new Promise<void>((resolve) => (end = resolve));
  return { task, end: () => end() };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('Queues', () => {
  it('runs at most `atOnce` tasks of a queue, and starts the others in order', async () => {
    const queues = new Queues();
    const begun: string[] = [];
    const tasks = Array.from({ length: 6 }, held);
    const all = tasks.map(({ task }, index) =>
      queues.run({ name: 'dead.example', atOnce: 4 }, () => {
        begun.push(`out_${index}`);
        return task();
      }),
    );

    await queues.run({ name: 'well.example', atOnce: 4 }, async () => void begun.push('out_9'));
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

  it('starts the next task when one fails', async () => {
    const queues = new Queues();
    const queue = { name: 'ep_1', atOnce: 1 };
    const begun: string[] = [];

    const first = queues.run(queue, () => Promise.reject(new Error('no')));
    const second = queues.run(queue, async () => void begun.push('second'));

    await expect(first).rejects.toThrow('no');
    await second;
    expect(begun).toEqual(['second']);
  });
});
