// Prints the processor time of every list and search with few and with many rows of each collection that it reads.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { median, OURS, start } from './server.mjs';
import { printTable } from './table.mjs';

const SIZES = [100, 20_000];
const CALLS = 7;
/** The limit of one call with many rows, in milliseconds. */
const MOST = 15;

const ORGANIZATION = 'org_10000000000000001';
const DIRECTORY = 'dir_10000000000000601';

/** Rows that are copied, and what differs in a copy besides the id. */
const COPIED = {
  organizations: (n) => ({ display_name: `Company ${n}`, external_id: `crm-${n}`, slug: `company-${n}` }),
  users: (n) => ({ email: `user-${n}@scale.example`, external_id: `user-${n}` }),
  memberships: (n) => ({ user_id: copyOf(SOURCES.users, n), organization_id: ORGANIZATION }),
  directory_users: (n) => ({
    email: `person-${n}@scale.example`,
    emails: [`person-${n}@scale.example`],
    preferred_username: `person-${n}`,
  }),
  directory_groups: (n) => ({ display_name: `Group ${n}` }),
  connected_accounts: (n) => ({ identifier: `account-${n}` }),
  api_tokens: (n) => ({ token: `token-of-the-measurement-${n}` }),
  domains: (n) => ({ domain: `domain-${n}.example` }),
  permissions: (n) => ({ name: `permission:${n}`, is_scalekit_permission: false }),
  auth_logs: () => ({}),
  events: () => ({}),
  passkeys: (n) => ({ credential_id: Buffer.from(`credential ${n}`).toString('base64') }),
  mcp_configs: (n) => ({ name: `config-${n}`, server_token: `token-${n}` }),
  mcp_instances: (n) => ({ name: `instance-${n}`, user_identifier: `bot-${n}`, link_token: `link-${n}` }),
};
const SOURCES = {};

const shown = (ms) => `${ms.toFixed(1)} ms`;

const copyOf = (id, n) => id.replace(/\d+$/, String(30_000_000_000_000_000n + BigInt(n)));

/** What the calls need beside their path. */
const PARAMETERS = {
  organization_id: ORGANIZATION,
  org_id: ORGANIZATION,
  user_id: 'usr_10000000000000101',
  directory_id: DIRECTORY,
  role_name: 'admin',
  config_id: 'cfg_10000000000000401',
  resource_id: 'res_10000000000000001',
  env_id: 'env_10000000000000001',
  origin: 'acme.example',
};
const FILTER = encodeURIComponent('emails.value eq "person-77@scale.example"');
const QUERIES = {
  'organizations:search': '?query=company%2077',
  'users:search': '?query=user-77',
  'connected_accounts:search': '?query=account-77',
  'connections:search': '?query=acme',
};
const MORE = [
  ['GET', `/directory/${DIRECTORY}/scim/v2/Users?filter=${FILTER}`],
  ['GET', '/_control/v1/clock/timeline'],
  ['GET', '/_control/v1/state/hash'],
  ['GET', '/_control/v1/state/users?contains=user-77'],
  ['GET', '/_control/v1/state/users/usr_0'],
  ['GET', `/_control/v1/state/organizations/${ORGANIZATION}/dependents`],
];

const program = process.env['UNDERSTUDY_DIST'];
const SERVE = program ? [program, ...OURS.slice(1)] : OURS;
const folder = mkdtempSync(join(tmpdir(), 'understudy-scale-'));
try {
  const { state, secret } = await template();
  const [few, many] = [await costs(SIZES[0]), await costs(SIZES[1])];
  printTable([
    ['call', ...SIZES.map((size) => `${size} rows`), 'longest turn', 'status', ''],
    ...[...many].map(([call, { cost, turn, status }]) => [
      call,
      shown(few.get(call).cost),
      shown(cost),
      shown(turn),
      String(status),
      Math.min(cost, turn) <= MOST ? 'within' : 'over',
    ]),
  ]);

  async function costs(size) {
    const file = join(folder, `${size}.json`);
    writeFileSync(file, JSON.stringify(grown(state, size)));
    const server = await start([...SERVE, '--memory', '--fixture', file]);
    const measured = new Map();
    for (const [method, path] of callsOf())
      measured.set(`${method} ${path}`, await measure(server, method, path, secret));
    await server.stop();
    return measured;
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function template() {
  const server = await start([...SERVE, '--memory']);
  const path = `/api/v1/organizations/${ORGANIZATION}/directories/${DIRECTORY}/secrets`;
  const { plain_secret: secret } = JSON.parse((await server.call('POST', path, {})).text);
  const state = JSON.parse((await server.call('GET', '/_control/v1/state')).text);
  await server.stop();
  return { state, secret };
}

function grown(state, size) {
  const rows = structuredClone(state);
  for (const collection of Object.keys(COPIED)) SOURCES[collection] = state[collection][0].id;
  for (const [collection, differences] of Object.entries(COPIED)) {
    const [first] = state[collection];
    for (let n = state[collection].length; n < size; n += 1)
      rows[collection].push({ ...first, id: copyOf(first.id, n), ...differences(n) });
  }
  return rows;
}

function callsOf() {
  const { operations } = JSON.parse(readFileSync('dist/openapi.contract.json', 'utf8'));
  const listed = operations
    .filter(({ id, base }) => /_(List|Search)/.test(id) && (base ?? id) === id)
    .map(({ method, path }) => {
      const filled = path.replaceAll(/\{(\w+)\}/g, (_, name) => PARAMETERS[name] ?? 'unknown');
      const [, query = ''] = Object.entries(QUERIES).find(([ending]) => filled.endsWith(ending)) ?? [];
      return [method, filled + query];
    });
  return [...listed, ...MORE];
}

/** The median processor time of the main thread, and the longest that another call waits. */
async function measure(server, method, path, secret) {
  const headers = path.startsWith('/directory/') ? { authorization: `Bearer ${secret}` } : {};
  const body = method === 'POST' ? {} : undefined;
  const taken = [];
  let [turn, status] = [0, 0];
  for (let i = -2; i < CALLS; i += 1) {
    const before = mainThread(server);
    const answering = server.call(method, path, body, headers).then((answer) => ({ status } = answer));
    let [isOver, mark, longest] = [false, before, 0];
    void answering.finally(() => (isOver = true));
    while (!isOver) {
      await new Promise((resolve) => setTimeout(resolve, 2));
      const response = await Promise.race([answering, fetch(`${server.url}/_control/v1/health`)]);
      await response.arrayBuffer?.();
      longest = Math.max(longest, mainThread(server) - mark);
      mark = mainThread(server);
    }
    if (i < 0) continue;
    taken.push(mainThread(server) - before);
    turn = Math.max(turn, longest);
  }
  return { cost: median(taken), turn, status };
}

/** Processor time in milliseconds. */
function mainThread({ child: { pid } }) {
  return Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
}
