import type { RowChange } from './row-change.ts';
import type { Rows } from './schema.ts';
import type { World } from './world.ts';

type Session = Rows['sessions'];

/** Seconds (OpenID Connect Back-Channel Logout 1.0, 2.4: at most two minutes). */
const TOKEN_LIFETIME = 120;
const LOGOUT_EVENT = 'http://schemas.openid.net/event/backchannel-logout';

/** Tells the applications of a session that it is over, whatever has ended it: a user, a call, a tester or time alone. */
export function tellOfEndedSession(world: World, { before, after }: RowChange): void {
  const session = before as Session | undefined;
  if (session?.status !== 'active' || (after as Session | undefined)?.status === 'active') return;
  for (const client_id of session.client_ids) {
    const client = world.clients.find(client_id);
    if (client && mayBeCalled(client))
      for (const url of client.back_channel_logout_uris ?? []) call(world, session, client.id, url);
  }
}

/** Those that run where nobody can call them have none. Unverified: the environment's own client is called, too. */
const mayBeCalled = ({ client_type = 'ENV', organization_id }: Rows['clients']) =>
  !organization_id && (client_type === 'WEB_APP' || client_type === 'ENV');

function call(world: World, { id, user_id, issuer }: Session, client_id: string, url: string): void {
  const now = Math.floor(world.clock.ms / 1000);
  world.outgoing_calls.insert({
    id: world.draw.id('out'),
    kind: 'back_channel_logout',
    url,
    content: {
      iss: issuer ?? world.baseUrl,
      aud: [client_id],
      iat: now,
      exp: now + TOKEN_LIFETIME,
      jti: world.draw.id('tkn'),
      sid: id,
      sub: user_id,
      events: { [LOGOUT_EVENT]: {} },
    },
    client_id,
    session_id: id,
    status: 'PENDING',
    attempts: [],
    created_at: world.clock.iso(),
  });
}
