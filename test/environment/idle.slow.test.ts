import { describe, expect, it } from 'vitest';
import { run } from '../support/process.ts';

describe('--environment-ttl', () => {
  it('refuses an invalid duration', async () => {
    const { code, stderr } = await run(['serve', '--memory', '--environment-ttl', 'soon']);

    expect(code).toBe(1);
    expect(stderr).toContain('It must be a duration such as 30m, or off.');
  });
});
