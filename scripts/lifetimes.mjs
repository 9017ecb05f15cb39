// The default lifetimes, from the settings of an environment and from constants in the code.
import { readFileSync } from 'node:fs';

const MINUTE = 60_000;
const [HOUR, DAY] = [60 * MINUTE, 24 * 60 * MINUTE];

/** [what, setting] with its unit in minutes, or [what, file, constant, unit, what changes it]. */
const SETTINGS = [
  ['access token of a client (machine to machine)', 'client_access_token_expiry'],
  ['access token of a signed-in user', 'access_token_expiry'],
  ['session', 'absolute_session_timeout'],
  ['session that nobody uses', 'idle_session_timeout'],
  ['invitation', 'invitation_expiry'],
];
const CONSTANTS = [
  ['authorization code', 'sign-in/complete.ts', 'CODE_LIFETIME', 1],
  ['sign-in that was not completed', 'sign-in/transaction.ts', 'LIFETIME', 1],
  [
    'access token of a protected resource',
    'resources/resource.ts',
    'ACCESS_TOKEN_LIFETIME',
    1000,
    '`access_token_expiry` of the resource',
  ],
  [
    'refresh token of a protected resource',
    'resources/resource.ts',
    'REFRESH_TOKEN_LIFETIME',
    1000,
    '`refresh_token_expiry` of the resource',
  ],
  [
    'access token of a client of an organization',
    'clients/client-view.ts',
    'ORGANIZATION_CLIENT_LIFETIME',
    1000,
    '`expiry` of the client',
  ],
  [
    'link to connect an account',
    'packages/accounts/src/accounts/account-authorization.ts',
    'MAGIC_LINK_LIFETIME',
    1,
  ],
  [
    'credentials of a connected account',
    'packages/accounts/src/accounts/credentials.ts',
    'TOKEN_LIFETIME',
    1,
  ],
  ['user who must still be confirmed', 'packages/accounts/src/accounts/consent.ts', 'REQUEST_LIFETIME', 1],
  ['login request of your own sign-in page', 'logins.ts', 'LOGIN_REQUEST_LIFETIME', 1],
  ['link to the admin portal', 'organizations/portal-links.ts', 'PORTAL_LINK_LIFETIME', 1],
  ['session of the admin portal', 'packages/portals/src/admin/visit.ts', 'LIFETIME', 1],
  ['link to the webhook portal', 'events.ts', 'PORTAL_LINK_LIFETIME', 1],
  ['directory secret after its replacement', 'directories/secrets.ts', 'REPLACED_SECRET_LIFETIME', 1],
  ['session of an MCP server', 'packages/accounts/src/mcp/answer.ts', 'SESSION_LIFETIME', 1],
];

/** A table of Markdown. `settings`: the defaults of the settings of an environment. */
export function lifetimeTable(settings) {
  const rows = [
    ...SETTINGS.map(([what, name]) => [what, settings[name] * MINUTE, `setting \`${name}\``]),
    ['code or link by mail', passwordless(), 'setting `passwordless_validity`'],
    ...CONSTANTS.map(([what, file, name, unit, change = '']) => [what, constant(file, name) * unit, change]),
  ];
  const head = ['what', 'valid for', 'changed by'];
  const all = [head, ...rows.map(([what, milliseconds, change]) => [what, durationOf(milliseconds), change])];
  const widths = head.map((_, column) => Math.max(...all.map((row) => row[column].length)));
  const lineOf = (row) => `| ${row.map((text, column) => text.padEnd(widths[column])).join(' | ')} |`;
  const [first, ...others] = all.map(lineOf);
  return `${[first, lineOf(widths.map((width) => '-'.repeat(width))), ...others].join('\n')}\n`;
}

function durationOf(milliseconds) {
  const units = [
    ['days', DAY],
    ['hours', HOUR],
  ];
  const fits = ([, length]) => milliseconds % length === 0 && milliseconds > length;
  const [unit, length] = units.find(fits) ?? [milliseconds === MINUTE ? 'minute' : 'minutes', MINUTE];
  return `${milliseconds / length} ${unit}`;
}

const source = (file) => readFileSync(file.startsWith('packages') ? file : `src/operations/${file}`, 'utf8');

/** The value of `const NAME = …`, a product of numbers and units. */
function constant(file, name) {
  const [, product] = new RegExp(`const ${name} = ([\\w *]+);`).exec(source(file)) ?? [];
  if (product === undefined) throw new Error(`scripts/lifetimes.mjs: ${file} has no ${name}`);
  const units = { MINUTE, HOUR, DAY };
  return product.split('*').reduce((value, each) => {
    const text = each.trim();
    return value * (units[text] ?? Number(text.replaceAll('_', '')));
  }, 1);
}

/** In the connection's configuration, in seconds. */
function passwordless() {
  const [, seconds] = /config\.validity \|\| (\d+)/.exec(source('passwordless/passwordless.ts')) ?? [];
  if (seconds === undefined) throw new Error('scripts/lifetimes.mjs: the validity of codes is elsewhere');
  return Number(seconds) * 1000;
}
