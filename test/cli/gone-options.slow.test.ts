import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { run } from '../support/process.ts';

const FLAGS = [
  ['--lease', '5s', 'no process owns an environment'],
  ['--advertise', 'http://10.0.0.7:8080', 'Each process with the same --store answers every call itself'],
  ['--rest-after', '10m', 'After 10 minutes without use'],
  ['--max-awake', '10', 'the 1000 environments in memory that were used last'],
] as const;

describe('a flag that no longer exists', () => {
  it.each(FLAGS)('%s is refused with what stands in its place', async (flag, value, sentence) => {
    const { code, stderr } = await run(['serve', '--memory', flag, value]);

    expect(code).toBe(1);
    expect(stderr).toContain(`error: option '${flag} <`);
    expect(stderr).toContain('It no longer exists');
    expect(stderr).toContain(sentence);
  });

  it('is refused as a variable and in a config file too, and no help lists it', async () => {
    const variable = await run(['serve', '--memory'], { variables: { UNDERSTUDY_LEASE: '5s' } });
    expect(variable.code).toBe(1);
    expect(variable.stderr).toContain('It no longer exists');

    const file = join(mkdtempSync(join(tmpdir(), 'understudy-gone-')), 'understudy.yaml');
    writeFileSync(file, 'advertise: http://10.0.0.7:8080\n');
    const configured = await run(['serve', '--memory', '--config', file]);
    expect(configured.code).toBe(1);
    expect(configured.stderr).toContain('advertise: no longer exists, because');

    const [help, schema] = [await run(['serve', '--help']), await run(['config', '--schema'])];
    for (const name of ['lease', 'advertise', 'rest-after', 'restAfter', 'max-awake', 'maxAwake'])
      expect(help.stdout + schema.stdout).not.toMatch(new RegExp(`(--|")${name}\\b`));
  });
});
