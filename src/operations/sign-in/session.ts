import type { Rows } from '../../world/schema.ts';
import type { World } from '../../world/world.ts';
import { carrying } from '../environment-mark.ts';
import type { BrowserCookies } from './cookies.ts';
import { endsOf } from './session-ends.ts';
import type { Transaction } from './transaction.ts';

type Session = Rows['sessions'];
type SignedIn = Transaction & { user_id: string };

/** The session that the browser has, as long as it is good. */
export function currentSession(world: World, { understudy_session }: BrowserCookies): Session | undefined {
  const session = understudy_session ? world.sessions.findBy('cookie', understudy_session) : undefined;
  return session?.status === 'active' ? session : undefined;
}

/** The user's session in this browser, new or gone on with; the application and the organization are part of it. */
export function enterSession(world: World, transaction: SignedIn, browser: BrowserCookies): Session {
  const known = currentSession(world, browser);
  const session =
    known?.user_id === transaction.user_id ? known : world.sessions.insert(newSession(world, transaction));
  const { client_id, organization_id, identity } = transaction;
  const added = (list: readonly string[], each: string | undefined) =>
    each === undefined ? [...list] : [...new Set([...list, each])];
  return world.sessions.update(session.id, {
    client_ids: added(session.client_ids, client_id),
    authenticated_organizations: added(session.authenticated_organizations, organization_id),
    connection_ids: added(session.connection_ids ?? [], identity?.connection_id),
    last_active_at: world.clock.iso(),
    updated_at: world.clock.iso(),
    ...endsOf(world, session.created_at, organization_id),
    ...(organization_id && { organization_id }),
  });
}

function newSession(world: World, { user_id, organization_id, device }: SignedIn): Session {
  const now = world.clock.iso();
  return {
    id: world.draw.id('ses'),
    user_id,
    authenticated_organizations: [],
    created_at: now,
    updated_at: now,
    last_active_at: now,
    ...endsOf(world, now, organization_id),
    status: 'active',
    ...(device && { device }),
    client_ids: [],
    issuer: world.baseUrl,
    cookie: carrying(world, world.draw.text(40)),
  };
}
