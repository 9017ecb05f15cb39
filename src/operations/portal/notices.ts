import type { World } from '../../world/world.ts';
import type { Notice } from './session.ts';
import { connectionSwitched, directorySwitched, loadSuccess, type UiEvent } from './ui-events.ts';
import type { Visit } from './visit.ts';

interface Told {
  text?: string;
  /** Good news, unless it is said. */
  kind?: 'note';
  events: readonly UiEvent[];
}

const TEXTS: Record<Exclude<Notice['told'], 'opened' | 'created'>, string> = {
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
  if (notice.told === 'created') return { text: createdText(world, notice), events: [] };
  const text = TEXTS[notice.told];
  if (notice.told === 'unverified') return { kind: 'note', text, events: [] };
  return { text, events: eventsOf(world, notice) };
}

const createdText = (world: World, { about = '' }: Notice): string =>
  world.directories.find(about)
    ? 'The directory is there. Make a secret, and give it to your identity provider with the endpoint.'
    : 'The connection is there. Now fill in its settings.';

function eventsOf(world: World, { told, about = '' }: Notice): UiEvent[] {
  if (told !== 'enabled' && told !== 'disabled') return [];
  const [connection, directory] = [world.connections.find(about), world.directories.find(about)];
  return [
    ...(connection ? [connectionSwitched(connection)] : []),
    ...(directory ? [directorySwitched(directory)] : []),
  ];
}
