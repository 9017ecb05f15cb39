import type { World } from '../../world/world.ts';
import type { Notice } from './session.ts';
import { connectionSwitched, directorySwitched, loadSuccess, type UiEvent } from './ui-events.ts';
import type { Visit } from './visit.ts';

interface Told {
  text?: string;
  events: readonly UiEvent[];
}

const TEXTS: Record<Exclude<Notice['told'], 'opened'>, string> = {
  created: 'It is there. Now fill in its settings.',
  saved: 'The settings are saved.',
  tested: 'Nothing is missing: users can sign in with this connection once it is on.',
  enabled: 'It is switched on.',
  disabled: 'It is switched off.',
  added: 'The domain is there. Publish its TXT record, then verify it.',
  verified: 'The domain is verified.',
  unverified: 'The TXT record was not found yet. DNS may take a while.',
  removed: 'The domain is removed.',
};

/** What the form before this page has done; it is told once. */
export function noticeOf({ world, session }: Visit): Told {
  const { notice } = session;
  if (!notice) return { events: [] };
  world.portal_sessions.update(session.id, { notice: undefined });
  if (notice.told === 'opened') return { events: [loadSuccess(session)] };
  return { text: TEXTS[notice.told], events: eventsOf(world, notice) };
}

function eventsOf(world: World, { told, about = '' }: Notice): UiEvent[] {
  if (told !== 'enabled' && told !== 'disabled') return [];
  const [connection, directory] = [world.connections.find(about), world.directories.find(about)];
  return [
    ...(connection ? [connectionSwitched(connection)] : []),
    ...(directory ? [directorySwitched(directory)] : []),
  ];
}
