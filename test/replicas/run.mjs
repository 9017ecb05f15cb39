// Runs replicas and their database through random faults, and checks what callers saw.
// --faults 200: how many (20); --seed 7: the same faults again.
import { spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

const ROOT = join(import.meta.dirname, '../..');
const { values } = parseArgs({
  options: {
    faults: { type: 'string', default: '20' },
    seed: { type: 'string', default: String(randomInt(1_000_000)) },
  },
});
if (!/^[1-9]\d*$/.test(values.faults)) {
  console.error(`--faults must be a whole number above 0, not ${values.faults}`);
  process.exit(2);
}
console.log(`${values.faults} faults, seed ${values.seed}`);
const vitest = join(ROOT, 'node_modules/vitest/vitest.mjs');
const { status } = spawnSync(process.execPath, [vitest, 'run', '-c', 'test/replicas/vitest.config.ts'], {
  cwd: ROOT,
  stdio: 'inherit',
  env: { ...process.env, REPLICAS_FAULTS: values.faults, REPLICAS_SEED: values.seed },
});
process.exit(status ?? 1);
