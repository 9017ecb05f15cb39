// Runs command lines at the same time and prints what each one has printed when it ends. Fails if one of them fails.
// usage: node scripts/side-by-side.mjs 'COMMAND' 'COMMAND'…
import { spawn } from 'node:child_process';
import { once } from 'node:events';

async function run(line) {
  const start = performance.now();
  const child = spawn(line, { shell: true, stdio: ['ignore', 'pipe', 'pipe'] });
  const printed = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes) => printed.push(bytes));
  const [code] = await once(child, 'close');
  process.stdout.write(Buffer.concat(printed));
  const seconds = Math.round((performance.now() - start) / 1000);
  console.log(`${code === 0 ? 'done' : 'FAILED'} after ${seconds} s: ${line}`);
  return code === 0;
}

const results = await Promise.all(process.argv.slice(2).map(run));
process.exitCode = results.every(Boolean) ? 0 : 1;
