import type { Env, Rows } from '../state/env.ts';
import { currentKey } from '../state/signing-keys.ts';
import type { Consequence } from '../state/units-of-work.ts';
import type { CallKind } from './delivery-attempt.ts';
import { attempt, DEFAULT_TIMEOUT } from './http-client.ts';

/** Concurrent calls to one host. */
const MAX_IN_FLIGHT = 4;

/** Calls to applications whose sessions ended, never retried (OpenID Connect Back-Channel Logout 1.0). */
export const backChannelLogoutCalls: CallKind<Rows['outgoing_calls']> = {
  name: 'back_channel_logout',
  queueOf: ({ url }) => ({ name: URL.canParse(url) ? new URL(url).host : '', atOnce: MAX_IN_FLIGHT }),

  isLocal: () => false,

  async attempt({ url, content }, { tables }, { keys, ...context }) {
    const logout_token = await keys.sign(content, currentKey(tables.signing_keys), 'logout+jwt');
    const headers = {
      'user-agent': context.userAgent,
      'content-type': 'application/x-www-form-urlencoded',
    };
    const body = new URLSearchParams({ logout_token }).toString();
    return attempt({ url, headers, body }, { ...context, timeout: DEFAULT_TIMEOUT });
  },

  rowAfter: (call, { result }) => ({ ...call, status: result === 'delivered' ? 'DELIVERED' : 'FAILED' }),
};

type Session = Rows['sessions'];

/** Seconds (OpenID Connect Back-Channel Logout 1.0, 2.4: at most two minutes). */
const TOKEN_LIFETIME = 120;
const LOGOUT_EVENT = 'http://schemas.openid.net/event/backchannel-logout';

/**
 * Queues a call to each application of a session that ends, whether a user, an operation, a tester or time ended it.
 */
export const callBackChannelLogout: Consequence = {
  collections: new Set(['sessions']),
  onSetUp: true,

  *apply(env, changes) {
    for (const { collection, before, after } of changes) {
      const session = collection === 'sessions' ? (before as Session | undefined) : undefined;
      if (session?.status !== 'active' || (after as Session | undefined)?.status === 'active') continue;
      yield;
      for (const client_id of session.client_ids) {
        const client = env.clients.find(client_id);
        if (client && mayBeCalled(client))
          for (const url of client.back_channel_logout_uris ?? [])
            queueLogoutCall(env, session, client.id, url);
      }
    }
  },
};

/** Web applications alone, of which the environment's own client is the first (Scalekit docs, Manage applications). */
const mayBeCalled = ({ client_type = 'ENV', organization_id }: Rows['clients']) =>
  !organization_id && (client_type === 'WEB_APP' || client_type === 'ENV');

function queueLogoutCall(env: Env, { id, user_id, issuer }: Session, client_id: string, url: string): void {
  const now = Math.floor(env.clock.ms / 1000);
  env.outgoing_calls.insert({
    id: env.draw.id('out'),
    kind: 'back_channel_logout',
    url,
    content: {
      iss: issuer ?? env.baseUrl,
      aud: [client_id],
      iat: now,
      exp: now + TOKEN_LIFETIME,
      jti: env.draw.id('tkn'),
      sid: id,
      sub: user_id,
      events: { [LOGOUT_EVENT]: {} },
    },
    client_id,
    session_id: id,
    status: 'PENDING',
    attempts: [],
    created_at: env.clock.iso(),
  });
}
