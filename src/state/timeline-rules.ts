import { refreshable } from './tables/connected-accounts.ts';
import type { Collection, Rows } from './schema.ts';

/** What time does to the rows of a collection. */
interface TimeRules<R> {
  /** What happens at the deadline of the table, as the beginning of a sentence. */
  change?: string;
  /** When the deadline changed the row; undefined if it did not. */
  changedAt?: (row: R) => string | undefined;
  /** Times that change no row: the service compares them with the clock when the value is used. */
  expiries?: (row: R) => readonly Expiry[];
}

export interface Expiry {
  at: string;
  effect: string;
}

/** Collections without an entry do not depend on the clock. */
export const TIME_RULES: { readonly [C in Collection]?: TimeRules<Rows[C]> } = {
  memberships: {
    change: 'The invitation expires',
    changedAt: (m) => (m.membership_status === 'INVITE_EXPIRED' ? m.expires_at : undefined),
  },
  api_tokens: {
    change: 'The API token expires',
    changedAt: (t) => (t.status === 'EXPIRED' ? t.expiry : undefined),
  },
  domains: {
    change: 'The verification of the domain fails',
    changedAt: (d) => (d.verification_status === 'FAILED' ? d.verify_before : undefined),
  },
  directories: {
    change: 'A secret of the directory expires',
    changedAt: ({ secrets }) =>
      latest(secrets.map(({ status, expire_time }) => (status === 'INACTIVE' ? expire_time : undefined))),
  },
  sessions: {
    change: 'The session ends',
    changedAt: (s) => (s.status === 'expired' ? s.expired_at : undefined),
  },
  login_transactions: { change: 'The sign-in expires', changedAt: expiredAt },
  login_requests: { change: 'The login request expires', changedAt: expiredAt },
  passwordless_requests: { change: 'The code and the link expire', changedAt: expiredAt },
  account_authorizations: { change: 'The authorization expires', changedAt: expiredAt },
  connected_accounts: {
    change: 'The access token expires',
    changedAt: (a) => (a.status === 'EXPIRED' ? a.token_expires_at : undefined),
    expiries: (a) =>
      a.status === 'ACTIVE' && refreshable(a)
        ? expiry(a.token_expires_at, 'The access token expires, and the next use refreshes it.')
        : [],
  },
  webhook_deliveries: { change: 'Understudy sends the delivery again' },
  webhook_endpoints: {
    expiries: ({ old_secrets = [] }) =>
      old_secrets.flatMap(({ expires_at }) => expiry(expires_at, 'A former signing secret stops signing.')),
  },
  clients: {
    expiries: ({ secrets }) =>
      secrets
        .filter(({ status }) => status !== 'INACTIVE')
        .flatMap(({ expire_time }) => expiry(expire_time, 'A secret of the client expires.')),
  },
  authorization_codes: {
    expiries: (c) => (c.used_at ? [] : expiry(c.expires_at, 'The authorization code expires.')),
  },
  refresh_tokens: {
    expiries: ({ used_at, revoked_at, issued_token }) =>
      used_at || revoked_at
        ? []
        : expiry(issued_token?.expires_at, 'The access token of this refresh token expires.'),
  },
  magic_links: { expiries: (l) => (l.used_at ? [] : expiry(l.expires_at, 'The link expires.')) },
  auth_requests: {
    expiries: (r) => (r.consumed ? [] : expiry(r.expires_at, 'The consent can no longer be confirmed.')),
  },
  mcp_sessions: { expiries: (s) => expiry(s.expires_at, 'The session at the MCP server ends.') },
  portal_links: { expiries: (l) => (l.used_at ? [] : expiry(l.expire_time, 'The portal link expires.')) },
  portal_sessions: { expiries: (s) => expiry(s.expires_at, 'The visit to the portal ends.') },
  webhook_portal_links: { expiries: (l) => expiry(l.expires_at, 'The link to the webhook portal expires.') },
  webhook_portal_sessions: { expiries: (s) => expiry(s.expires_at, 'The visit to the webhook portal ends.') },
};

const expiry = (at: string | undefined, effect: string): Expiry[] =>
  at === undefined ? [] : [{ at, effect }];

function expiredAt({ status, expires_at }: { status: string; expires_at: string }): string | undefined {
  return status === 'EXPIRED' ? expires_at : undefined;
}

const latest = (times: readonly (string | undefined)[]): string | undefined =>
  times.filter((time) => time !== undefined).toSorted((a, b) => Date.parse(b) - Date.parse(a))[0];
