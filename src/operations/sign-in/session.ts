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
  const known = ownSession(world, transaction, browser);
  const session = known ?? world.sessions.insert(newSession(world, transaction));
  const { client_id, organization_id } = transaction;
  return world.sessions.update(session.id, {
    client_ids: added(session.client_ids, client_id),
    authenticated_organizations: added(session.authenticated_organizations, organization_id),
    connection_ids: proofsOf(world, transaction, browser),
    last_active_at: world.clock.iso(),
    updated_at: world.clock.iso(),
    ...endsOf(world, session.created_at, organization_id),
    ...(organization_id && { organization_id }),
  });
}

/** The session in this browser that a user goes on with. */
function ownSession(world: World, { user_id }: SignedIn, browser: BrowserCookies): Session | undefined {
  const known = currentSession(world, browser);
  return known?.user_id === user_id ? known : undefined;
}

/** The connections that have vouched for the user in this browser, with the one of this sign-in. */
export function proofsOf(world: World, transaction: SignedIn, browser: BrowserCookies): string[] {
  const known = ownSession(world, transaction, browser);
  return added(known?.connection_ids ?? [], transaction.identity?.connection_id);
}

const added = (list: readonly string[], each: string | undefined): string[] =>
  each === undefined ? [...list] : [...new Set([...list, each])];

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
