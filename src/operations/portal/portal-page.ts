import type { Env } from '../../environment/env.ts';
import type { ApiError } from '../../errors.ts';
import { alert, readableTime, sentence } from '../../pages/controls.ts';
import { html, type Fragment, type Html } from '../../pages/html.ts';
import { framers, showPage, type CustomReply } from '../custom-reply.ts';
import type { NoticeKey } from './session.ts';
import {
  connectionSwitched,
  directorySwitched,
  loadSuccess,
  sessionWarning,
  portalScript,
  type UiEvent,
} from './ui-events.ts';
import type { Visit } from './visit.ts';

interface PortalPage {
  title: string;
  body: Fragment;
  /** A problem that belongs to no single field. */
  problem?: string | undefined;
  /** HTTP status: 200 unless the form was rejected. */
  status?: number;
}

/** A page in the portal's frame. It shows once what the previous form did. */
export function portalPage(visit: Visit, { title, body, problem, status = 200 }: PortalPage): CustomReply {
  const { env, organization } = visit;
  // A rejected form keeps the notice for the next page.
  const notice = status === 200 ? noticeOf(visit) : undefined;
  const { script, markup } = portalScript(
    notice ? [...notice.events, ...dueWarning(visit)] : [],
    countdown(visit),
  );
  const content = html`<header class="bar">
      <strong>${organization.display_name}</strong>
      <span class="faint">Session ends ${readableTime(visit.session.expires_at)}</span>
    </header>
    ${notice?.text !== undefined && alert(notice.kind ?? 'good', notice.text)}
    ${problem && alert('bad', problem)} ${body} ${markup}`;
  return showPage(
    { title: `${title} · Admin portal`, body: content, wide: true, script, framedBy: framers(env) },
    { status },
  );
}

/** A rejection that belongs to no form. */
export const refusalPage = (visit: Visit, { status, message }: ApiError): CustomReply =>
  portalPage(visit, {
    title: 'Not possible',
    body: html`<section class="card">
      <h1>${status === 404 ? 'Not found' : 'This can not be done'}</h1>
      <p class="alert bad" role="alert">${sentence(message)}</p>
      <p class="faint">Status ${status}.</p>
      ${backLink}
    </section>`,
    status,
  });

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
  /** undefined: a success message. */
  kind?: 'note';
  events: readonly UiEvent[];
}

const TEXTS: Record<Exclude<NoticeKey['told'], 'opened' | 'created'>, string> = {
  saved: 'The settings are saved.',
  tested: 'Nothing is missing: users can sign in with this connection once it is on.',
  enabled: 'It is switched on.',
  disabled: 'It is switched off.',
  added: 'The domain is there. Publish its TXT record, then verify it.',
  verified: 'The domain is verified.',
  unverified: 'The TXT record was not found yet. DNS may take a while.',
  removed: 'The domain is removed.',
};

/** The result of the previous form; shown once. */
export function noticeOf({ env, session }: Visit): PortalNotice {
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
    ? 'The directory is there. Make a secret, and give it to your identity provider with the endpoint.'
    : 'The connection is there. Now fill in its settings.';

function eventsOf(env: Env, { told, about = '' }: NoticeKey): UiEvent[] {
  if (told !== 'enabled' && told !== 'disabled') return [];
  const [connection, directory] = [env.connections.find(about), env.directories.find(about)];
  return [
    ...(connection ? [connectionSwitched(connection)] : []),
    ...(directory ? [directorySwitched(directory)] : []),
  ];
}
