// Stores V8's compiled code for the functions that a start and a first call need.
//
//   node code-cache.mjs dist/understudy.js   does it for the Node that runs this
import { spawn } from 'node:child_process';
import { readdirSync, renameSync } from 'node:fs';
import { dirname, join } from 'node:path';

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

/**
 * Starts the program and makes the calls of a first client. When the program ends, it writes its compiled code to a file for
 * this machine, which this function renames, so that the package has it.
 */
export async function writeCodeCache(launcher) {
  const child = spawn(process.execPath, [launcher, 'serve', '--memory', '--port', '0', '--json'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { PATH: process.env.PATH },
  });
  const ended = new Promise((resolve, reject) => {
    child.once('exit', (code) =>
      code === 0 ? resolve() : reject(new Error(`${launcher} ended with ${code}`)),
    );
  });
  const line = await Promise.race([ended, new Promise((resolve) => child.stdout.once('data', resolve))]);
  await call(JSON.parse(line));
  child.kill();
  await ended;
  const folder = dirname(launcher);
  const own = `.${process.versions.v8.split('-')[0]}-${process.arch}.local.cache`;
  for (const file of readdirSync(folder).filter((each) => each.endsWith(own)))
    renameSync(join(folder, file), join(folder, file.replace('.local.', '.')));
}

async function call({ url, client_id, client_secret }) {
  const body = new URLSearchParams({ grant_type: 'client_credentials', client_id, client_secret });
  const granted = await fetch(`${url}/oauth/token`, { method: 'POST', headers: FORM, body });
  const { access_token } = await granted.json();
  const headers = { authorization: `Bearer ${access_token}` };
  const { organizations } = await get(`${url}/api/v1/organizations`, headers);
  await get(`${url}/api/v1/organizations/${organizations[0].id}`, headers);
}

async function get(url, headers) {
  const answer = await fetch(url, { headers });
  if (!answer.ok) throw new Error(`${url} was answered ${answer.status}`);
  return answer.json();
}

if (process.argv[1] === import.meta.filename) await writeCodeCache(process.argv[2]);
