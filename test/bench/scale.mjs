// Prints the processor time of every list, search and get with few and with many rows of each collection that it reads, or of those
// whose method and path have one of the given texts.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { median, OURS, start } from './server.mjs';
import { printTable } from './table.mjs';

const SIZES = [100, 20_000];
const CALLS = 7;
/** Limits of one call with many rows, in milliseconds: its whole time, or that of each turn. */
const MOST = 15;
const LONGEST_TURN = 20;

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
    group_ids: [copyOf(SOURCES.directory_groups, Math.max(n, 50))],
  }),
  directory_groups: (n) => ({ display_name: `Group ${n}` }),
  connected_accounts: (n) => ({ identifier: `account-${n}` }),
  api_tokens: (n) => ({ token: `token-of-the-measurement-${n}` }),
  domains: (n) => ({ domain: `domain-${n}.example` }),
  permissions: (n) => ({ name: `permission:${n}`, is_scalekit_permission: false }),
  auth_logs: () => ({}),
  events: () => ({}),
  passkeys: (n) => ({
    user_id: copyOf(SOURCES.users, Math.max(n, 50)),
    credential_id: Buffer.from(`credential ${n}`).toString('base64'),
  }),
  clients: (n) => ({ name: `Client ${n}` }),
  consents: (n) => ({ subject: `subject-${n}` }),
  sessions: () => ({}),
  resources: (n) => ({ resource_uri: `http://localhost:3001/mcp/${n}` }),
  mcp_configs: (n) => ({ name: `config-${n}`, server_token: `token-${n}` }),
  mcp_instances: (n) => ({ name: `instance-${n}`, user_identifier: `bot-${n}`, link_token: `link-${n}` }),
};
const SOURCES = {};

const shown = (ms) => `${ms.toFixed(1)} ms`;

const copyOf = (id, n) => id.replace(/\d+$/, String(30_000_000_000_000_000n + BigInt(n)));

/** What the calls need in their path. Gets with another id show what a 404 costs. */
const PARAMETERS = {
  organization_id: ORGANIZATION,
  org_id: ORGANIZATION,
  user_id: 'usr_10000000000000101',
  directory_id: DIRECTORY,
  role_name: 'admin',
  config_id: 'cfg_10000000000000401',
  resource_id: 'res_10000000000000001',
  env_id: 'env_10000000000000001',
  origin: 'http%3A%2F%2Flocalhost',
  collection: 'users',
  environment: 'default',
  snapshot: 'unknown',
};
/** What a call asks for beside its path, by the operation. Each call asks for another text, so that none is remembered. */
const ASKED = {
  OrganizationService_SearchOrganization: (n) => ({ query: `company 7${n}` }),
  UserService_SearchUsers: (n) => ({ query: `user-7${n}` }),
  UserService_SearchOrganizationUsers: (n) => ({ query: `user-7${n}` }),
  ConnectedAccountService_SearchConnectedAccounts: (n) => ({ query: `account-7${n}` }),
  ConnectionService_SearchOrganizationConnections: () => ({ query: 'acme' }),
  WebAuthnService_ListCredentials: () => ({ user_id: PARAMETERS.user_id }),
  ApiTokenService_ListTokens: () => ({ organization_id: ORGANIZATION }),
  ClientService_ListResources: () => ({ resource_type: 'MCP_SERVER' }),
  ClientService_ListResourceUserConsents: () => ({ resource_id: PARAMETERS.resource_id }),
  ToolService_ListScopedTools: (n) => ({ identifier: `account-7${n}`, 'filter.providers': 'GMAIL' }),
  ToolService_ListAvailableTools: (n) => ({ identifier: `account-7${n}` }),
  ToolService_SearchTools: () => ({ query: 'mail' }),
  McpService_ListMcpConnectedAccounts: (n) => ({ identifier: `account-7${n}` }),
  Control_GetTotp: () => ({ user: PARAMETERS.user_id }),
};
const MORE = [
  [
    'GET',
    (n) => `/directory/${DIRECTORY}/scim/v2/Users?${filterOf(`emails.value eq "person-${n}@scale.example"`)}`,
  ],
  ['GET', (n) => `/directory/${DIRECTORY}/scim/v2/Users?${filterOf(`displayName co "person-7${n}"`)}`],
  ['GET', (n) => `/directory/${DIRECTORY}/scim/v2/Groups?${filterOf(`displayName eq "Group ${n}"`)}`],
  ['GET', (n) => `/_control/v1/state/users?contains=user-7${n}`],
  ['GET', (n) => `/_control/v1/state/users?sort=email&limit=10&offset=${n}`],
  ['GET', () => `/_control/v1/state/organizations/${ORGANIZATION}/dependents`],
];
const filterOf = (filter) => `filter=${encodeURIComponent(filter)}`;

const parts = process.argv.slice(3);
const isWanted = (call) => parts.length === 0 || parts.some((part) => call.includes(part));

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
      cost <= MOST || turn <= LONGEST_TURN ? 'within' : 'over',
    ]),
  ]);

  async function costs(size) {
    const file = join(folder, `${size}.json`);
    writeFileSync(file, JSON.stringify(grown(state, size)));
    const server = await start([...SERVE, '--memory', '--fixture', file]);
    const measured = new Map();
    for (const call of callsOf()) {
      const name = `${call.method} ${call.path(0)}`;
      if (!isWanted(name)) continue;
      measured.set(name, await measure(server, call, secret));
    }
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

/** Every list, search and get of the contract of the service and of the control API. */
function callsOf() {
  const operations = ['openapi', 'control'].flatMap(
    (name) => JSON.parse(readFileSync(`dist/${name}.contract.json`, 'utf8')).operations,
  );
  const reads = operations
    .filter(({ id, base }) => /_(List|Search|Get|Count)/.test(id) && (base ?? id) === id)
    .map(({ id, method, path }) => {
      const filled = path.replaceAll(/\{(\w+)\}/g, (_, name) => PARAMETERS[name] ?? 'unknown');
      const asked = ASKED[id] ?? (() => undefined);
      if (method === 'POST') return { method, path: () => filled, body: (n) => asked(n) ?? {} };
      return { method, path: (n) => [filled, ...query(asked(n))].join('?'), body: () => undefined };
    });
  return [...reads, ...MORE.map(([method, path]) => ({ method, path, body: () => undefined }))];
}

function query(parameters) {
  return parameters ? [new URLSearchParams(parameters)] : [];
}

/** The median processor time of the main thread, and the longest that another call waits. */
async function measure(server, { method, path, body }, secret) {
  const headers = path(0).startsWith('/directory/') ? { authorization: `Bearer ${secret}` } : {};
  const taken = [];
  const turns = [];
  let status = 0;
  for (let i = -2; i < CALLS; i += 1) {
    const before = mainThread(server);
    const answering = server
      .call(method, path(i + 2), body(i + 2), headers)
      .then((answer) => ({ status } = answer));
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
    turns.push(longest);
  }
  return { cost: median(taken), turn: median(turns), status };
}

/** Processor time in milliseconds. */
function mainThread({ child: { pid } }) {
  return Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
}
