// Pulls an environment with many organizations, starts another service from it, and compares all lists:
// npm run bench -- pull [organizations]. Needs `npm run build`.
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual, promisify } from 'node:util';
import { OURS, start } from './server.mjs';

const NOW = { mode: 'frozen', at: '2026-12-01T09:00:00Z' };
const USERS = 2;
/** How many lists are compared at once. */
const AT_ONCE = 16;

const OF_ORGANIZATION = [
  'users?page_size=100',
  'roles?include=permissions',
  'domains',
  'directories',
  'clients',
  'session-policy',
  'portal_customizations',
  'settings/usermanagement',
];
const OF_ENVIRONMENT = [
  'roles?include=permissions',
  'permissions?page_size=100',
  'clients?filter.client_type=ALL',
  'scopes',
  'connections?include=all',
  'providers?page_size=100',
  'tools?page_size=100',
];

export async function pullAndCompare([count = '5000']) {
  const folder = mkdtempSync(join(tmpdir(), 'bench-pull-'));
  const understudy = (...args) =>
    promisify(execFile)(process.execPath, [join(process.cwd(), OURS[0]), ...args], { cwd: folder });
  const counts = ['--organizations', count, '--users', String(USERS)];
  await understudy('fixtures', 'generate', ...counts, '--out', 'source.json');
  const servers = [];
  try {
    servers.push(await serve(folder, 'source'));
    await pull(servers[0], understudy, count);
    servers.push(await serve(folder, 'pulled'));
    await compare(...servers);
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
    rmSync(folder, { recursive: true });
  }
}

async function pull(source, understudy, count) {
  const begun = performance.now();
  const from = [
    '--from',
    source.url,
    '--client-id',
    source.client_id,
    '--client-secret',
    source.client_secret,
  ];
  await understudy('pull', ...from, '--out', 'pulled.json', '--keep', '*', '--pace', '0ms');
  print(`pull of ${count} organizations with ${USERS} users each`, seconds(begun));
}

async function serve(folder, fixture) {
  const server = await start([...OURS, '--memory', '--fixtures', folder, '--fixture', fixture]);
  const { status } = await server.call('PUT', '/_control/v1/clock', NOW);
  if (status !== 200) throw new Error(`the clock of ${fixture} answered ${status}`);
  await server.login();
  return server;
}

async function compare(...servers) {
  const begun = performance.now();
  const differing = [];
  let answers = 0;
  const both = async (path) => {
    const [one, other] = await Promise.all(servers.map((server) => answerOf(server, `/api/v1/${path}`)));
    answers += 2;
    if (!isDeepStrictEqual(one, other)) differing.push(path);
    return one.body;
  };
  const organizations = await idsIn('organizations', both);
  const users = await idsIn('users', both);
  const paths = [
    ...OF_ENVIRONMENT,
    ...organizations.flatMap((id) => [
      ...OF_ORGANIZATION.map((list) => `organizations/${id}/${list}`),
      `tokens?organization_id=${id}`,
    ]),
    ...users.map((id) => `webauthn/credentials?user_id=${id}`),
  ];
  for (let i = 0; i < paths.length; i += AT_ONCE) await Promise.all(paths.slice(i, i + AT_ONCE).map(both));
  print(`${answers} answers compared`, seconds(begun));
  print('lists that differ', `${differing.length} ${differing.slice(0, 5).join(' ')}`.trim());
  if (differing.length > 0) process.exitCode = 1;
}

/** Of the whole list, page by page. */
async function idsIn(list, both) {
  const ids = [];
  for (let token = ''; ;) {
    const page = await both(`${list}?page_size=100&page_token=${encodeURIComponent(token)}`);
    ids.push(...page[list].map(({ id }) => id));
    token = page.next_page_token;
    if (!token) return ids;
  }
}

/** Without the port, which links contain. */
async function answerOf(server, path) {
  const { status, text } = await server.call('GET', path);
  return { status, body: JSON.parse(text.replaceAll(new URL(server.url).host, 'HOST')) };
}

const print = (what, figure) => console.log(`${what}: ${figure}`);
const seconds = (begun) => `${((performance.now() - begun) / 1000).toFixed(0)} s`;
