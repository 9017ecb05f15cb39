// Passkeys and authenticator apps of others: soft-webauthn registers and signs in, py_webauthn judges the software
// authenticator, and pyotp makes and reads codes. Chromium's authenticator and Playwright's credentials have their tests in
// test/browser/passkeys.test.ts, which `npm run test:browser` runs.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { parse } from 'yaml';
import { readFileSync } from 'node:fs';
import { calledOperations } from '../sdk/called-operations.mjs';
import { installFromPyPi } from './support/install.mjs';
import { withService } from './support/service.mjs';

const CLIENT = { client_id: 'skc_1000000000000000001', client_secret: 'test_understudy_default_secret' };
const CALLBACK = 'http://localhost:3000/callback';
/** Later versions of webauthn need a cryptography that soft-webauthn cannot use. */
const JUDGES = ['webauthn==2.5.3', 'soft-webauthn==0.1.4', 'pyotp==2.12.1'];
const PROGRAMS = ['soft-webauthn', 'pyotp'];

/** A line for each finding. */
export async function door() {
  const programs = installFromPyPi(JUDGES);
  return withService(async ({ url }) => {
    const asked = JSON.stringify({ url, user: await userToken(url), client: await clientToken(url) });
    const judge = join(import.meta.dirname, 'support/passkeys.py');
    const options = { input: asked, encoding: 'utf8', timeout: 120_000 };
    const { checks, findings } = JSON.parse(execFileSync(join(programs, 'python'), [judge], options));
    if (checks < 20) findings.push(`only ${checks} checks were made`);
    return [...findings, ...claimsBeyond(await calledOperations(`${url}/_control/v1`))];
  });
}

/** A token of Ravi, who signs in without a page. */
async function userToken(url) {
  const asked = new URLSearchParams({
    client_id: CLIENT.client_id,
    redirect_uri: CALLBACK,
    response_type: 'code',
    scope: 'openid',
    understudy_auto: '1',
    login_hint: 'ravi@acme.example',
  });
  const { headers } = await fetch(`${url}/oauth/authorize?${asked}`, { redirect: 'manual' });
  const code = new URL(headers.get('location')).searchParams.get('code');
  return tokenFor(url, { grant_type: 'authorization_code', code, redirect_uri: CALLBACK });
}

const clientToken = (url) => tokenFor(url, { grant_type: 'client_credentials' });

async function tokenFor(url, grant) {
  const body = new URLSearchParams({ ...grant, ...CLIENT });
  return (await (await fetch(`${url}/oauth/token`, { method: 'POST', body })).json()).access_token;
}

/** docs/fidelity.md says that the programs call these operations. */
function claimsBeyond(called) {
  return PROGRAMS.flatMap((program) => {
    const file = join(import.meta.dirname, `../../evidence/programs/${program}.yaml`);
    const { operations } = parse(readFileSync(file, 'utf8'));
    const missing = operations.filter((id) => !called.includes(id));
    return missing.map((id) => `evidence/programs/${program}.yaml names ${id}, which nothing called`);
  });
}
