// Runs the tests of the published package for Node.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const vitest = join(dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs');
const args = [vitest, 'run', '-c', join(import.meta.dirname, 'vitest.config.ts')];
const env = { ...process.env, NODE_EXTRA_CA_CERTS: process.env.UNDERSTUDY_CA };
const [code] = await once(spawn(process.execPath, args, { env, stdio: 'inherit' }), 'close');
process.exitCode = code ?? 1;
