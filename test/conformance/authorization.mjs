import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

const SUITE = 'node_modules/@modelcontextprotocol/conformance/dist/index.js';
/** The resource of the default fixture, and its address. */
const RESOURCE = 'res_10000000000000001';
const ADDRESS = 'http://localhost:3001/mcp';
/** The suite's callback server listens there. */
const PORT = 18_999;

/**
 * Runs the suite for authorization servers against the one of a protected resource. All of its scenarios must pass. The
 * suite prints the address that a user has to open; this opens it for Ada, without pages. Resolves to the exit code.
 */
export async function checkAuthorization(url) {
  const client = await register(url);
  const issuer = `${url}/resources/${RESOURCE}`;
  const args = ['authorization', '--url', issuer, '--client-id', client, '--resource', ADDRESS];
  const suite = spawn(process.execPath, [SUITE, ...args, '--port', String(PORT)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise((resolve) => suite.on('exit', (code) => resolve(code ?? 1)));
  let asked;
  for await (const line of createInterface(suite.stdout)) {
    console.log(line);
    if (line.startsWith(`${issuer}/oauth/authorize?`)) asked = line;
    if (asked && line.includes('Callback server started'))
      await fetch(`${asked}&understudy_auto=1&login_hint=ada@acme.example`);
  }
  if (!asked) throw new Error('the suite asked nobody to sign in');
  return await ended;
}

async function register(url) {
  const client = {
    client_name: 'Conformance suite',
    redirect_uris: [`http://127.0.0.1:${PORT}/callback`],
    token_endpoint_auth_method: 'none',
  };
  const answer = await fetch(`${url}/api/v1/resources/${RESOURCE}/clients:register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(client),
  });
  const { client_id } = await answer.json();
  return client_id;
}
