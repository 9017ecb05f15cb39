import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Steps } from '../../scripts/steps.mjs';

/** A generator with one step, which copies `in/a` and also reads `more`. Each `run` is one of a new process. */
function generator() {
  const folder = mkdtempSync(join(tmpdir(), 'understudy-steps-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = (name: string) => join(folder, name);
  const write = (name: string, text: string) => writeFileSync(path(name), text);
  for (const name of ['in', 'scripts']) mkdirSync(path(name));
  write('in/a', '1');
  write('scripts/generate', '1');
  write('more', '1');
  let runs = 0;
  const run = async (make = () => write('out', readFileSync(path('in/a'), 'utf8'))) => {
    await new Steps(path('digests.json'), [path('scripts')]).run(
      'copy',
      { reads: [path('in')], writes: [path('out')] },
      () => {
        runs += 1;
        make();
        return [path('more')];
      },
    );
    return runs;
  };
  return { path, write, run };
}

describe('a step of the generator', () => {
  it('runs once for the same files', async () => {
    const { run } = generator();

    expect([await run(), await run()]).toEqual([1, 1]);
  });

  it.each([
    ['an input', 'in/a', '2'],
    ['a new file in a folder of inputs', 'in/b', '1'],
    ['what the step said that it had read', 'more', '2'],
    ['the output', 'out', 'edited'],
    ['a script of the generator', 'scripts/generate', '2'],
  ])('runs again after a change of %s', async (_, name, text) => {
    const { path, write, run } = generator();
    await run();

    write(name, text);

    expect([await run(), await run()]).toEqual([2, 2]);
    expect(readFileSync(path('out'), 'utf8')).toBe(readFileSync(path('in/a'), 'utf8'));
  });

  it('runs again if its output is gone, or if it failed', async () => {
    const { path, run } = generator();
    const fail = () => {
      throw new Error('a mistake in the contract');
    };
    await expect(run(fail)).rejects.toThrow('a mistake');
    await run();

    rmSync(path('out'));

    expect(await run()).toBe(3);
  });
});
