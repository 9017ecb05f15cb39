import type { ApiError } from '../../errors.ts';
import { html, type Fragment, type Html } from '../../pages/html.ts';
import { alert } from '../../pages/parts.ts';
import { readableTime } from '../../pages/readable-time.ts';
import { sentence } from '../../pages/sentence.ts';
import type { Answer } from '../answer.ts';
import { showPage } from '../page-answer.ts';
import { framers } from '../framers.ts';
import { noticeOf } from './notices.ts';
import { signals } from './signals.ts';
import { sessionWarning, type UiEvent } from './ui-events.ts';
import type { Visit } from './visit.ts';

interface PortalPage {
  title: string;
  body: Fragment;
  /** What is wrong, where no field is to blame for it. */
  problem?: string | undefined;
  /** Of the answer: 200, unless something was refused. */
  status?: number;
}

/** A page in the frame of the portal. It tells, once, what the form before it has done. */
export function portalPage(visit: Visit, { title, body, problem, status = 200 }: PortalPage): Answer {
  const { world, organization } = visit;
  // A refusal changes nothing, and so leaves what is to be told to the page after it.
  const told = status === 200 ? noticeOf(visit) : undefined;
  const { script, markup } = signals(told ? [...told.events, ...dueWarning(visit)] : [], countdown(visit));
  const content = html`<header class="bar">
      <strong>${organization.display_name}</strong>
      <span class="faint">Session ends ${readableTime(visit.session.expires_at)}</span>
    </header>
    ${told?.text !== undefined && alert(told.kind ?? 'good', told.text)} ${problem && alert('bad', problem)}
    ${body} ${markup}`;
  return showPage(
    { title: `${title} · Admin portal`, body: content, wide: true, script, framedBy: framers(world) },
    { status },
  );
}

/** A refusal that belongs to no form. */
export const refusalPage = (visit: Visit, { status, message }: ApiError): Answer =>
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

const remaining = ({ world, session }: Visit) => Date.parse(session.expires_at) - world.clock.ms;

/** The page warns when the time comes. */
const countdown = (visit: Visit) => ({
  remaining: remaining(visit),
  warning: remaining(visit) > WARNING ? sessionWarning(visit.session) : undefined,
});

/** The warning of a page that comes after that time; it is given once. */
function dueWarning(visit: Visit): UiEvent[] {
  const { world, session } = visit;
  if (remaining(visit) > WARNING || session.warned_at !== undefined) return [];
  world.portal_sessions.update(session.id, { warned_at: world.clock.iso() });
  return [sessionWarning(session)];
}
