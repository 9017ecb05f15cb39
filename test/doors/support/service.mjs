import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const PROGRAM = join(import.meta.dirname, '../../../dist/understudy.js');

/** Starts the built service in memory, calls `use` with `{ url, call }`, and ends it. */
export async function withService(use, ...flags) {
  const args = ['serve', '--memory', '--port', '0', '--json', '--log-level', 'warn', ...flags];
  const service = spawn(process.execPath, [PROGRAM, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    const [line] = await once(createInterface(service.stdout), 'line');
    const { url } = JSON.parse(line);
    const access_token = await tokenOf(url);
    const call = (method, path, body) => callJson(`${url}${path}`, { method, body, access_token });
    return await use({ url, call });
  } finally {
    service.kill();
  }
}

/** A token of the client that every environment `default` has. */
async function tokenOf(url) {
  const form = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: 'skc_1000000000000000001',
    client_secret: 'test_understudy_default_secret',
  });
  const answer = await fetch(`${url}/oauth/token`, { method: 'POST', body: form });
  return (await answer.json()).access_token;
}

/** The answer's body. Throws if the service refuses the call. */
async function callJson(address, { method, body, access_token }) {
  const headers = { authorization: `Bearer ${access_token}`, 'content-type': 'application/json' };
  const sent = body === undefined ? {} : { body: JSON.stringify(body) };
  const answer = await fetch(address, { method, headers, ...sent });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${address}: ${answer.status} ${text}`);
  return text === '' ? undefined : JSON.parse(text);
}
