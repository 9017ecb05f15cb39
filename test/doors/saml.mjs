// SAML service providers of others take what the simulated provider signs, and the service takes what a provider of others
// signs. xmlsec1 is a package of Debian.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { inflateRawSync } from 'node:zlib';
import { installFromNpm, installFromPyPi, NotInstallable } from './support/install.mjs';
import { withService } from './support/service.mjs';

const CONNECTION = 'conn_10000000000000252';
const NINA = 'nina@nordwind.example';
const SERVICE_PROVIDER = { entity: 'http://sp.example/metadata', acs: 'http://sp.example/acs' };
const KINDS = ['assertion', 'response', 'both'];

/** A line for each finding. */
export async function door() {
  const node = installFromNpm(['@node-saml/node-saml@5.1.0']);
  const programs = installFromPyPi(['python3-saml==1.16.0', 'pysaml2==7.5.4']);
  const { SAML } = createRequire(join(node, 'x.js'))('@node-saml/node-saml');
  refuseWithoutXmlsec();
  const others = startOthers(programs);
  try {
    return await withService(async ({ url, call }) => {
      const context = { url, others, SAML, setUp: setUpOf(call), call };
      return [
        ...(await judgeSimulatedProvider(context)),
        ...(await judgeEncryption(context)),
        ...(await judgeForeignService(context)),
        ...(await judgeDocuments(context)),
        ...(await judgeService(context)),
      ];
    });
  } finally {
    others.end();
  }
}

function refuseWithoutXmlsec() {
  try {
    execFileSync('xmlsec1', ['--version'], { stdio: 'pipe' });
  } catch {
    throw new NotInstallable('xmlsec1 is missing: apt-get install xmlsec1');
  }
}

/** Changes the connection. */
const setUpOf = (call) => (changes) =>
  call('PATCH', `/_control/v1/state/connections/${CONNECTION}`, {
    status: 'COMPLETED',
    enabled: true,
    attribute_mapping: { email: 'email', given_name: 'givenName' },
    ...changes,
  });

/** The Python libraries, in a process that answers line by line. */
function startOthers(programs) {
  const file = join(import.meta.dirname, 'support/saml.py');
  const python = spawn(join(programs, 'python'), [file], { stdio: ['pipe', 'pipe', 'ignore'] });
  const lines = createInterface(python.stdout)[Symbol.asyncIterator]();
  return {
    async ask(what, details) {
      python.stdin.write(`${JSON.stringify({ do: what, ...details })}\n`);
      const { value = '{"problem": "the process ended"}' } = await lines.next();
      const { problem, ...answer } = JSON.parse(value);
      if (problem) throw new Error(problem);
      return answer;
    },
    end: () => python.kill(),
  };
}

/** Runs a judgement; what it throws is the finding. */
async function judged(what, run) {
  try {
    await run();
    console.log(`ok: ${what}`);
    return [];
  } catch (thrown) {
    return [`${what}: ${thrown.message}`];
  }
}

async function inTurn(judgements) {
  const findings = [];
  for (const [what, run] of judgements) findings.push(...(await judged(what, run)));
  return findings;
}

// The simulated provider, judged by service providers.

async function judgeSimulatedProvider(context) {
  const { url, setUp } = context;
  await setUp({});
  const metadata = await (await fetch(`${url}/ui/identity-provider/saml/${CONNECTION}/metadata`)).text();
  const findings = [];
  for (const signed of KINDS) {
    await setUp({ saml_provider: { sign: signed } });
    const judge = { ...context, metadata, signed };
    findings.push(
      ...(await inTurn([
        [`node-saml takes a response with signature: ${signed}`, () => byNodeSaml(judge)],
        [`python3-saml takes a response with signature: ${signed}`, () => byPython('python3_saml', judge)],
        [`pysaml2 takes a response with signature: ${signed}`, () => byPython('pysaml2', judge)],
        [`xmlsec1 verifies a response with signature: ${signed}`, () => byXmlsec(judge)],
      ])),
    );
  }
  return findings;
}

/** Follows the address of a service provider's request, signs Nina in, and returns what the page would post. */
async function responseTo(address, form = { email: NINA, attributes: 'groups=a & <b>\ngroups=é "🦊"' }) {
  const page = await (await fetch(address)).text();
  const posted = formIn(page.slice(page.indexOf('Another user')));
  return postedBy(posted.action, { ...posted.fields, ...form });
}

async function postedBy(address, fields) {
  const answer = await fetch(address, { method: 'POST', body: new URLSearchParams(fields) });
  return formIn(await answer.text());
}

const ENTITIES = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };
const unescaped = (text) => text.replace(/&([a-z#0-9]+);/g, (_, name) => ENTITIES[name] ?? '');

/** The first form of a page: where it goes, and its hidden fields. */
function formIn(page) {
  const [form] = /<form[^]*?<\/form>/.exec(page) ?? [];
  if (!form) throw new Error(`no form in ${page.replace(/<style>[^]*?<\/style>/, '').slice(0, 2000)}`);
  const fields = [...form.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)" \/>/g)];
  return {
    action: unescaped(/ action="([^"]*)"/.exec(form)[1]),
    fields: Object.fromEntries(fields.map(([, name, value]) => [name, unescaped(value)])),
  };
}

function refuseOther(name, groups) {
  if (name !== NINA) throw new Error(`it reads the name ${name}`);
  if (JSON.stringify(groups) !== JSON.stringify(['a & <b>', 'é "🦊"'])) throw new Error(`it reads ${groups}`);
}

async function byNodeSaml({ SAML, metadata, signed }, further = {}) {
  const saml = new SAML({
    idpCert: certificateIn(metadata),
    idpIssuer: /entityID="([^"]*)"/.exec(metadata)[1],
    issuer: SERVICE_PROVIDER.entity,
    audience: SERVICE_PROVIDER.entity,
    callbackUrl: SERVICE_PROVIDER.acs,
    entryPoint: /SingleSignOnService[^>]* Location="([^"]*)"/.exec(metadata)[1],
    wantAssertionsSigned: signed !== 'response',
    wantAuthnResponseSigned: signed !== 'assertion',
    validateInResponseTo: 'always',
    ...further,
  });
  const address = await saml.getAuthorizeUrlAsync('relay-1', undefined, {});
  const { fields } = await responseTo(address);
  if (fields.RelayState !== 'relay-1') throw new Error(`it gets the relay state ${fields.RelayState}`);
  const { profile } = await saml.validatePostResponseAsync(fields);
  refuseOther(profile.nameID, profile.groups);
}

const certificateIn = (metadata) => /<ds:X509Certificate>([^<]*)/.exec(metadata)[1];

async function byPython(library, { others, metadata, signed }, further = {}) {
  const asked = { ...SERVICE_PROVIDER, metadata, signed, ...further };
  const { url, id } = await others.ask(`${library}_request`, asked);
  const { fields } = await responseTo(url);
  const { name, attributes } = await others.ask(`${library}_response`, {
    ...asked,
    id,
    response: fields.SAMLResponse,
  });
  refuseOther(name, attributes.groups);
}

async function byXmlsec({ url, metadata, signed }) {
  const { fields } = await postedBy(`${url}/ui/identity-provider/saml/${CONNECTION}/answer`, {
    email: NINA,
    acs: SERVICE_PROVIDER.acs,
    audience: SERVICE_PROVIDER.entity,
  });
  const folder = mkdtempSync(join(tmpdir(), 'understudy-xmlsec-'));
  try {
    writeFileSync(join(folder, 'response.xml'), Buffer.from(fields.SAMLResponse, 'base64'));
    writeFileSync(join(folder, 'provider.crt'), pemOf(certificateIn(metadata)));
    for (const part of signed === 'both' ? ['Response', 'Assertion'] : [PARTS[signed]]) verify(folder, part);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const PARTS = { assertion: 'Assertion', response: 'Response' };
const SPACES = { Assertion: 'assertion', Response: 'protocol' };

const pemOf = (text) =>
  `-----BEGIN CERTIFICATE-----\n${text.match(/.{1,64}/g).join('\n')}\n-----END CERTIFICATE-----\n`;

function verify(folder, part) {
  const ids = Object.entries(SPACES).flatMap(([name, space]) => [
    '--id-attr:ID',
    `urn:oasis:names:tc:SAML:2.0:${space}:${name}`,
  ]);
  const signature = `/*[local-name()='Response']${part === 'Assertion' ? "/*[local-name()='Assertion']" : ''}/*[local-name()='Signature']`;
  const flags = ['--verify', '--enabled-key-data', 'rsa', '--pubkey-cert-pem', 'provider.crt', ...ids];
  execFileSync('xmlsec1', [...flags, '--node-xpath', signature, 'response.xml'], {
    cwd: folder,
    stdio: 'pipe',
  });
}

// Encrypted assertions, judged by libraries that have the key of the service.

async function judgeEncryption({ url, SAML, setUp, others }) {
  await setUp({ saml_provider: { sign: 'both', encrypted: true } });
  const entity = `${url}/sso/v1/saml/${CONNECTION}`;
  const own = { entity, acs: `${entity}/callback` };
  const metadata = await (await fetch(`${url}/ui/identity-provider/saml/${CONNECTION}/metadata`)).text();
  const response = async () => {
    const { fields } = await postedBy(`${url}/ui/identity-provider/saml/${CONNECTION}/answer`, {
      email: NINA,
    });
    if (!Buffer.from(fields.SAMLResponse, 'base64').includes('EncryptedAssertion'))
      throw new Error('not encrypted');
    return fields.SAMLResponse;
  };
  const key = serviceKey();
  return inTurn([
    [
      'node-saml decrypts an assertion',
      async () => {
        const saml = new SAML({
          idpCert: certificateIn(metadata),
          issuer: own.entity,
          audience: own.entity,
          callbackUrl: own.acs,
          decryptionPvk: key.pem,
        });
        const { profile } = await saml.validatePostResponseAsync({ SAMLResponse: await response() });
        if (profile.nameID !== NINA) throw new Error(`it reads the name ${profile.nameID}`);
      },
    ],
    [
      'python3-saml decrypts an assertion',
      async () => {
        const asked = { ...own, metadata, key: key.bare, certificate: certificateIn(metadata), id: null };
        const { name } = await others.ask('python3_saml_response', { ...asked, response: await response() });
        if (name !== NINA) throw new Error(`it reads the name ${name}`);
      },
    ],
  ]);
}

/** The published development key of the service, from the source. */
function serviceKey() {
  const source = readFileSync(
    join(import.meta.dirname, '../../packages/saml/src/development-keys.ts'),
    'utf8',
  );
  const [, lines] = /const SERVICE_KEY = \[([^\]]*)\]/.exec(source);
  const bare = lines.replace(/[^A-Za-z0-9+/=]/g, '');
  return {
    bare,
    pem: `-----BEGIN PRIVATE KEY-----\n${bare.match(/.{1,64}/g).join('\n')}\n-----END PRIVATE KEY-----\n`,
  };
}

// What the simulated provider does for a service provider whose certificate it knows: encryption and sign-outs.

const SLO = 'http://sp.example/slo';

async function judgeForeignService(context) {
  const { url, setUp, others, SAML } = context;
  const metadata = await (await fetch(`${url}/ui/identity-provider/saml/${CONNECTION}/metadata`)).text();
  const { key, certificate } = await others.ask('service_key', {});
  const known = { entity_id: SERVICE_PROVIDER.entity, certificate, logout_url: SLO };
  const knowing = (service, more = {}) => setUp({ saml_provider: { service_providers: [service], ...more } });
  const judge = { ...context, metadata, signed: 'both' };
  const saml = new SAML({
    idpCert: certificateIn(metadata),
    issuer: SERVICE_PROVIDER.entity,
    callbackUrl: SERVICE_PROVIDER.acs,
    entryPoint: /SingleSignOnService[^>]* Location="([^"]*)"/.exec(metadata)[1],
    logoutUrl: /SingleLogoutService[^>]* Location="([^"]*)"/.exec(metadata)[1],
    privateKey: key,
    signatureAlgorithm: 'sha256',
  });
  const profile = { nameID: NINA, nameIDFormat: 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress' };
  await knowing(known, { sign: 'both', encrypted: true });
  const bare = { key: bareOf(key), certificate: bareOf(certificate) };
  const findings = await inTurn([
    [
      'node-saml decrypts an assertion for a service provider of its own',
      () => byNodeSaml(judge, { decryptionPvk: key }),
    ],
    [
      'python3-saml decrypts an assertion for a service provider of its own',
      () => byPython('python3_saml', judge, bare),
    ],
    [
      'node-saml takes the answer to its signed sign-out, by redirect',
      async () => {
        const query = await redirected(await saml.getLogoutUrlAsync(profile, 'relay-1', {}));
        const { loggedOut } = await saml.validateRedirectAsync(query.values, query.text);
        if (!loggedOut || query.values.RelayState !== 'relay-1') throw new Error('it is not signed out');
      },
    ],
    [
      'python3-saml takes the answer to its signed sign-out, by redirect',
      async () => {
        const asked = { ...SERVICE_PROVIDER, metadata, slo: SLO, name: NINA, ...bare };
        const { url: address, id } = await others.ask('python3_saml_logout', asked);
        const { values } = await redirected(address);
        await others.ask('python3_saml_logout_response', { ...asked, query: values, id });
      },
    ],
  ]);
  await knowing({ entity_id: SERVICE_PROVIDER.entity, logout_url: SLO });
  const byForm = async () => {
    const { searchParams, origin, pathname } = new URL(await saml.getLogoutUrlAsync(profile, '', {}));
    const xml = inflateRawSync(Buffer.from(searchParams.get('SAMLRequest'), 'base64'));
    const { action, fields } = await postedBy(origin + pathname, { SAMLRequest: xml.toString('base64') });
    if (action !== SLO) throw new Error(`the answer goes to ${action}`);
    const { loggedOut } = await saml.validatePostResponseAsync(fields);
    if (!loggedOut) throw new Error('it is not signed out');
  };
  return [...findings, ...(await judged('node-saml takes the answer to its sign-out, by a form', byForm))];
}

const bareOf = (pem) => pem.replace(/-----[^-]*-----|\s/g, '');

/** Where the provider sends the browser with its answer. */
async function redirected(address) {
  const answer = await fetch(address, { redirect: 'manual' });
  const target = answer.headers.get('location') ?? '';
  if (!target.startsWith(SLO)) throw new Error(`status ${answer.status}: ${await answer.text()}`.slice(-600));
  const text = target.slice(target.indexOf('?') + 1);
  return { text, values: Object.fromEntries(new URLSearchParams(text)) };
}

// Everything that is sent, judged by the schemas of the standard.

async function judgeDocuments({ url, others, setUp }) {
  const provider = `${url}/ui/identity-provider/saml/${CONNECTION}`;
  const post = (address, fields) =>
    fetch(address, { method: 'POST', body: new URLSearchParams(fields), redirect: 'manual' });
  const answer = () => post(`${provider}/answer`, { email: NINA });
  const logout = async () => postedBy(`${provider}/logout`, { email: NINA });
  const slo = {
    saml_config: { idp_slo_url: SLO, want_request_signed: true },
    saml_provider: { sign: 'both' },
  };
  const messages = {
    'a request to sign in': () => begunAt(url),
    'a response': answer,
    'an encrypted response': async () => {
      await setUp({ saml_provider: { encrypted: true } });
      return answer();
    },
    'a refusal': () => post(`${provider}/answer`, { email: NINA, error: 'access_denied' }),
    'a request to sign out': async () => {
      await setUp(slo);
      return post(`${provider}/logout`, { email: NINA });
    },
    'an answer to a sign-out': async () => {
      const { action, fields } = await logout();
      return post(action, fields);
    },
  };
  const check = (schema, document) => others.ask('schema', { schema, document });
  await setUp({ saml_config: { want_request_signed: true }, saml_provider: { sign: 'both' } });
  const addresses = [`${url}/sso/v1/saml/${CONNECTION}/metadata`, `${provider}/metadata`];
  return inTurn([
    ...addresses.map((address) => [
      `the schema takes the metadata at ${new URL(address).pathname}`,
      async () => check('metadata', await (await fetch(address)).text()),
    ]),
    ...Object.entries(messages).map(([what, sent]) => [
      `the schema takes ${what}`,
      async () => check('protocol', await messageIn(await sent())),
    ]),
  ]);
}

/** The message that an answer carries, in a form or in the address that it leads to. */
async function messageIn(answer) {
  const target = answer.headers.get('location');
  const query = target ? Object.fromEntries(new URL(target).searchParams) : undefined;
  const { SAMLRequest, SAMLResponse } = query ?? formIn(await answer.text()).fields;
  const bytes = Buffer.from(SAMLRequest ?? SAMLResponse ?? '', 'base64');
  return String(query ? inflateRawSync(bytes) : bytes);
}

// The service, judged by a foreign identity provider.

async function judgeService({ url, others, setUp, call }) {
  const provider = createServer((_, answer) =>
    answer.setHeader('content-type', 'application/xml').end(document),
  );
  provider.listen(0, '127.0.0.1');
  await once(provider, 'listening');
  const address = `http://127.0.0.1:${provider.address().port}`;
  let document = '';
  try {
    await setUp({ saml_provider: null, saml_config: { want_request_signed: true } });
    const metadata = await (await fetch(`${url}/sso/v1/saml/${CONNECTION}/metadata`)).text();
    const asked = { entity: `${address}/metadata`, sso: `${address}/sso`, metadata };
    ({ metadata: document } = await others.ask('provider', asked));
    const saml_config = {
      idp_metadata_url: `${address}/metadata`,
      idp_entity_id: null,
      idp_sso_url: null,
      want_request_signed: true,
      saml_signing_option: 'SAML_RESPONSE_OR_ASSERTION_SIGNING',
    };
    const names = 'urn:mace:dir:attribute-def:';
    await setUp({
      attribute_mapping: { email: `${names}mail`, given_name: `${names}givenName` },
      saml_config,
    });
    await call('PATCH', '/_control/v1/state/settings/settings', { full_stack_auth: false });
    return await inTurn(
      Object.entries(ANSWERS).map(([what, options]) => [
        `the service takes ${what} of pysaml2`,
        () => signInWith({ url, others, options }),
      ]),
    );
  } finally {
    provider.close();
  }
}

const ANSWERS = {
  'a signed assertion': { sign_assertion: true, sign_response: false },
  'a signed response': { sign_assertion: false, sign_response: true },
  'both signed': { sign_assertion: true, sign_response: true },
  'an encrypted assertion': { sign_assertion: true, sign_response: false, encrypt_assertion: true },
  'an encrypted assertion in a signed response': {
    sign_assertion: true,
    sign_response: true,
    encrypt_assertion: true,
  },
};

async function beginAt(url) {
  const query = new URLSearchParams({
    client_id: 'skc_1000000000000000001',
    redirect_uri: 'http://localhost:3000/callback',
    response_type: 'code',
    scope: 'openid',
    connection_id: CONNECTION,
  });
  const begun = await fetch(`${url}/oauth/authorize?${query}`, { redirect: 'manual' });
  const cookie = begun.headers.get('set-cookie').split(';')[0];
  return { begun, cookie };
}

/** Where the service sends the browser with its request. */
async function begunAt(url) {
  const { begun, cookie } = await beginAt(url);
  return fetch(begun.headers.get('location'), { headers: { cookie }, redirect: 'manual' });
}

/** A browser begins a sign-in, goes to the foreign provider, and comes back. */
async function signInWith({ url, others, options }) {
  const { begun, cookie } = await beginAt(url);
  const sent = await fetch(begun.headers.get('location'), { headers: { cookie }, redirect: 'manual' });
  const attributes = { mail: NINA, givenName: 'Nina é' };
  const asked = { url: sent.headers.get('location'), name: NINA, attributes, options };
  const { response, relay } = await others.ask('provider_answer', asked);
  const body = new URLSearchParams({
    SAMLResponse: Buffer.from(response).toString('base64'),
    RelayState: relay,
  });
  const back = await fetch(`${url}/sso/v1/saml/${CONNECTION}/callback`, {
    method: 'POST',
    headers: { cookie },
    redirect: 'manual',
    body,
  });
  const target = new URL(back.headers.get('location') ?? `${url}/?error=status ${back.status}`);
  if (!target.searchParams.has('code')) throw new Error(decodeURIComponent(target.search));
}
