import { describe, expect, it } from 'vitest';
import { sweepCommand } from '../src/commands/sweep-command.ts';

async function run(...words: string[]): Promise<{ err: string; exitCode: unknown }> {
  let err = '';
  const terminal = {
    variables: {},
    platform: 'linux' as const,
    out: () => {},
    err: (text: string) => void (err += text),
    fail: () => {},
  };
  const command = sweepCommand(terminal, () => new AbortController().signal).exitOverride();
  command.configureOutput({ writeErr: (text) => void (err += text) });
  const thrown: unknown = await command.parseAsync(words, { from: 'user' }).catch((each: unknown) => each);
  return { err, exitCode: (thrown as { exitCode?: unknown }).exitCode };
}

describe('understudy sweep', () => {
  it('needs the command of the tests, or the language of an SDK', async () => {
    for (const words of [[], ['--sdk', 'node', '--', 'npx', 'vitest', 'run']])
      expect(await run(...words)).toEqual({
        err: 'understudy: give the command that runs the tests, such as understudy sweep -- npx vitest run, or --sdk without a command\n',
        exitCode: 2,
      });
  });

  it('refuses a time that is none', async () => {
    const { err } = await run('--time', 'soon', '--', 'npx', 'vitest', 'run');

    expect(err).toContain('It must be a duration, such as 90s or 10m.');
  });

  it('says that there is no program for an official SDK, and names those for which there is one', async () => {
    expect((await run('--sdk', 'go')).err).toContain(
      'There is no program for the SDK of go yet. It must be node or python.',
    );
    expect((await run('--sdk', 'ruby')).err).toContain('It must be node or python.');
  });

  it('names the line of a file of accepted faults that is wrong', async () => {
    const { err, exitCode } = await run('--accept', 'packages/sweep/test/support/wrong.accept', '--', 'true');

    expect(err).toContain('wrong.accept:2: a line is OPERATION FAILURE VERDICT # REASON');
    expect(exitCode).toBe(2);
  });
});
