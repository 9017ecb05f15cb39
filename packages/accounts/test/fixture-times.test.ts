import { describe, expect, it } from 'vitest';
import { MAGIC_LINK_LIFETIME } from '../src/accounts/account-authorization.ts';
import { REQUEST_LIFETIME } from '../src/accounts/consent.ts';
import { TOKEN_LIFETIME } from '../src/accounts/credentials.ts';
import { REPLACED_SECRET_LIFETIME } from '../../../src/operations/directories/secrets.ts';
import { VERIFICATION_WINDOW } from '../../../src/operations/domains/domain-creation.ts';
import { LOGIN_REQUEST_LIFETIME } from '../../../src/operations/logins.ts';
import { PORTAL_LINK_LIFETIME } from '../../../src/operations/organizations/portal-links.ts';
import { boot } from '../../../test/support/boot.ts';

// oxlint-disable-next-line typescript/no-explicit-any -- each table has rows of another kind
type Row = Record<string, any>;
type State = Record<string, Row[]>;

/** When the row ends. `latest`: nothing in the row says when it was created, so it may be any time until now. */
type End = { at: number } | { latest: number };

const MINUTE = 60_000;
const ms = (time: string) => Date.parse(time);
const row = (state: State, table: string, id: string): Row =>
  state[table]!.find((each) => each['id'] === id)!;

/** The limits of the settings and of the session's organization: the shorter one counts. */
function limitOf(state: State, session: Row, name: string): number {
  const [settings] = state['settings']!;
  const policy = row(state, 'organizations', session['organization_id'])['session_policy'];
  return Math.min(settings![name], policy?.[name] ?? Infinity) * MINUTE;
}

const absoluteEnd = (session: Row, state: State) =>
  ms(session['created_at']) + limitOf(state, session, 'absolute_session_timeout');

/** What the service would have written into each field that says when something ends. */
const ENDS: Record<string, (row: Row, state: State, now: number) => End | undefined> = {
  'sessions.absolute_expires_at': (session, state) => ({ at: absoluteEnd(session, state) }),
  'sessions.idle_expires_at': (session, state) => ({
    at: Math.min(
      ms(session['last_active_at']) + limitOf(state, session, 'idle_session_timeout'),
      absoluteEnd(session, state),
    ),
  }),
  'memberships.expires_at': ({ created_at }, state) => ({
    at: ms(created_at) + state['settings']![0]!['invitation_expiry'] * MINUTE,
  }),
  'domains.verify_before': ({ create_time }) => ({ at: ms(create_time) + VERIFICATION_WINDOW }),
  'login_requests.expires_at': ({ auth_request_id }, state) => ({
    at: ms(row(state, 'auth_logs', auth_request_id)['timestamp']) + LOGIN_REQUEST_LIFETIME,
  }),
  'auth_requests.expires_at': (request, state, now) => requestEnd(request, state, now, REQUEST_LIFETIME),
  'auth_requests.token_expires_at': (request, state, now) => requestEnd(request, state, now, TOKEN_LIFETIME),
  'passwordless_requests.expires_at': ({ expires_in }, _, now) => ({ latest: now + expires_in * 1000 }),
  'connected_accounts.token_expires_at': (_, __, now) => ({ latest: now + TOKEN_LIFETIME }),
  'magic_links.expires_at': (_, __, now) => ({ latest: now + MAGIC_LINK_LIFETIME }),
  'portal_links.expire_time': ({ used_at }, _, now) => ({
    latest: (used_at ? ms(used_at) : now) + PORTAL_LINK_LIFETIME,
  }),
  'directories.secrets.expire_time': ({ secrets }) => ({
    at: ms(secrets[1]['create_time']) + REPLACED_SECRET_LIFETIME,
  }),
  // The creator of a token chooses its end.
  'api_tokens.expiry': () => undefined,
};

/** The account of a request that waits for its user was changed at the same moment. */
const requestEnd = ({ consumed, connected_account_id }: Row, state: State, now: number, lifetime: number) =>
  consumed
    ? { latest: now + lifetime }
    : { at: ms(row(state, 'connected_accounts', connected_account_id)['updated_at']) + lifetime };

const IS_END = /expir|verify_before/;

/** All fields that say when something ends, with their paths. */
function endsIn(value: unknown, path: string): [path: string, time: string][] {
  if (Array.isArray(value)) return value.flatMap((each) => endsIn(each, path));
  if (typeof value === 'string')
    return IS_END.test(path.split('.').at(-1)!) && !Number.isNaN(ms(value)) ? [[path, value]] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => endsIn(member, `${path}.${name}`));
}

/** These say when a row ended, not when it was to end. */
const ENDED = new Set(['sessions.expired_at']);

/** The rows, and a time at which they were loaded already. */
async function stateOf(fixture: string): Promise<{ state: State; now: number }> {
  const { control } = await boot({ fixture });
  const { body } = await control.get('/state').expect(200);
  const { body: clock } = await control.get('/clock').expect(200);
  return { state: body as State, now: ms(clock.now) };
}

describe.each(['small', 'default', 'sso', 'demo', 'empty', 'mcp-conformance'])(
  'the fixture %s',
  (fixture) => {
    it('has no row that ends at another time than the service would have chosen', async () => {
      const { state, now } = await stateOf(fixture);
      const wrong: string[] = [];
      for (const [table, rows] of Object.entries(state).filter(([, each]) => Array.isArray(each)))
        for (const each of rows)
          for (const [path, time] of endsIn(each, table)) {
            if (ENDED.has(path)) continue;
            const rule = ENDS[path];
            const end = rule?.(each, state, now);
            if (!rule) wrong.push(`${path}: no rule for it`);
            else if (end && ('at' in end ? end.at !== ms(time) : ms(time) > end.latest))
              wrong.push(`${path} of ${each['id']}: ${time}, should be ${JSON.stringify(end)}`);
          }

      expect(wrong).toEqual([]);
    });

    it('has no session that was used before it began or after it ended', async () => {
      const { state, now } = await stateOf(fixture);
      const wrong = (state['sessions'] ?? []).filter((session) => {
        const { created_at, last_active_at, idle_expires_at, expired_at, logout_at, status } = session;
        const ended = expired_at ?? logout_at;
        const order = [created_at, last_active_at, ended ?? new Date(now).toISOString()].map(ms);
        const isSorted = order.every((time, i) => i === 0 || order[i - 1]! <= time);
        const isOpen = ms(idle_expires_at) > now;
        const endsRight = status === 'expired' ? expired_at === idle_expires_at : true;
        return !isSorted || !endsRight || (status === 'active') !== isOpen;
      });

      expect(wrong).toEqual([]);
    });
  },
);
