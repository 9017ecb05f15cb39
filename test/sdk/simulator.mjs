// Each language gets its own built simulator, so that the scenarios of one program do not affect another.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const PROGRAM = join(import.meta.dirname, '..', '..', 'dist', 'understudy.js');

/**
 * Starts a simulator in memory on a free port; the data folder holds only the certificate authority for TLS
 * clients.
 */
export async function startSimulator() {
  if (!existsSync(PROGRAM)) throw new Error(`${PROGRAM} is missing: build it with npm run build`);
  const folder = mkdtempSync(join(tmpdir(), 'understudy-sdk-'));
  const flags = [
    'serve',
    '--memory',
    '--data',
    folder,
    '--port',
    '0',
    '--json',
    '--stop-with-stdin',
    '--log-level',
    'warn',
  ];
  const child = spawn(process.execPath, [PROGRAM, ...flags], { stdio: ['pipe', 'pipe', 'inherit'] });
  const simulator = { variables: {}, stop };
  try {
    simulator.variables = await describe(await announced(child), folder);
    return simulator;
  } catch (thrown) {
    await stop();
    throw thrown;
  }

  async function stop() {
    if (child.exitCode === null && child.signalCode === null) {
      const gone = once(child, 'exit');
      child.kill();
      await gone;
    }
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The environment variables of a program. */
async function describe({ url, client_id, client_secret }, folder) {
  const control = `${url}/_control/v1`;
  const authority = await fetch(`${control}/ca.pem`);
  if (!authority.ok) throw new Error(`${control}/ca.pem answered ${authority.status}`);
  const file = join(folder, 'ca-to-trust.pem');
  writeFileSync(file, await authority.text());
  return {
    UNDERSTUDY_URL: url,
    UNDERSTUDY_TLS_URL: `https://localhost:${new URL(url).port}`,
    UNDERSTUDY_CA: file,
    UNDERSTUDY_CLIENT_ID: client_id,
    UNDERSTUDY_CLIENT_SECRET: client_secret,
    UNDERSTUDY_CONTROL: control,
  };
}

async function announced(child) {
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`the simulator ended with ${code}`);
  });
  const [line] = await Promise.race([once(child.stdout, 'data'), ended]);
  return JSON.parse(line);
}
