import type { Env } from '../../state/env.ts';
import type { ApiError } from '../../errors.ts';
import { readableTime } from '../../pages/controls.ts';
import { html, type Html } from '../../pages/html.ts';
import type { CustomReply } from '../handler.ts';
import { refusalContent, showPortalPage, type PortalPage } from '../hosted/portal.ts';
import type { NoticeKey, Visit } from './session.ts';
import {
  connectionSwitched,
  directorySwitched,
  loadSuccess,
  sessionWarning,
  portalScript,
  type UiEvent,
} from './ui-events.ts';

/** A page in the portal's frame. It shows once what the previous form did. */
export function portalPage(visit: Visit, page: PortalPage): CustomReply {
  const { env, organization, session } = visit;
  // A rejected form keeps the notice for the next page.
  const { status = 200 } = page;
  const { events, kind = 'good', text }: PortalNotice = status === 200 ? noticeOf(visit) : { events: [] };
  const heading = html`<strong>${organization.display_name}</strong>
    <span class="faint">Session ends ${readableTime(session.expires_at)}</span>`;
  return showPortalPage(env, page, {
    portal: 'Admin portal',
    heading,
    notice: text === undefined ? undefined : { kind, text },
    ...portalScript(status === 200 ? [...events, ...dueWarning(visit)] : [], countdown(visit)),
  });
}

export const refusalPage = (visit: Visit, refusal: ApiError): CustomReply =>
  portalPage(visit, refusalContent(refusal, backLink));

export const backLink: Html = html`<p class="back"><a href="/portal">Back to the overview</a></p>`;

const WARNING = 5 * 60_000;

const remaining = ({ env, session }: Visit) => Date.parse(session.expires_at) - env.clock.ms;

/** Tells the script when to warn. */
const countdown = (visit: Visit) => ({
  remaining: remaining(visit),
  warning: remaining(visit) > WARNING ? sessionWarning(visit.session) : undefined,
});

/** Warns once if the page loads after the warning was due. */
function dueWarning(visit: Visit): UiEvent[] {
  const { env, session } = visit;
  if (remaining(visit) > WARNING || session.warned_at !== undefined) return [];
  env.portal_sessions.update(session.id, { warned_at: env.clock.iso() });
  return [sessionWarning(session)];
}

interface PortalNotice {
  text?: string;
  /** Absent: a success message. */
  kind?: 'good' | 'note';
  events: readonly UiEvent[];
}

const TEXTS: Record<Exclude<NoticeKey['told'], 'opened' | 'created'>, string> = {
  saved: 'The settings are saved.',
  tested: 'Nothing is missing: users can sign in with this connection once it is on.',
  enabled: 'It is switched on.',
  disabled: 'It is switched off.',
  synced: 'What the provider has now is here.',
  added: 'The domain is added. Publish its TXT record, then verify it.',
  verified: 'The domain is verified.',
  unverified: 'The TXT record was not found yet. DNS may take a while.',
  removed: 'The domain is removed.',
};

/** The result of the previous form; shown once. */
function noticeOf({ env, session }: Visit): PortalNotice {
  const { notice } = session;
  if (!notice) return { events: [] };
  env.portal_sessions.update(session.id, { notice: undefined });
  if (notice.told === 'opened') return { events: [loadSuccess(session)] };
  if (notice.told === 'created') return { text: createdText(env, notice), events: [] };
  const text = TEXTS[notice.told];
  if (notice.told === 'unverified') return { kind: 'note', text, events: [] };
  return { text, events: eventsOf(env, notice) };
}

const createdText = (env: Env, { about = '' }: NoticeKey): string =>
  env.directories.find(about)
    ? 'The directory is added. Make a secret, and give the secret and the endpoint to your identity provider.'
    : 'The connection is added. Now fill in its settings.';

function eventsOf(env: Env, { told, about = '' }: NoticeKey): UiEvent[] {
  if (told !== 'enabled' && told !== 'disabled') return [];
  const [connection, directory] = [env.connections.find(about), env.directories.find(about)];
  return [
    ...(connection ? [connectionSwitched(connection)] : []),
    ...(directory ? [directorySwitched(directory)] : []),
  ];
}
