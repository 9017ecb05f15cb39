import type { ApiError } from '../../errors.ts';
import { html, type Fragment, type Html } from '../../pages/html.ts';
import { alert } from '../../pages/parts.ts';
import { readableTime } from '../../pages/readable-time.ts';
import { sentence } from '../../pages/sentence.ts';
import type { Answer } from '../answer.ts';
import { framers } from '../framers.ts';
import { showPage } from '../page-answer.ts';
import { noticeOf } from './notices.ts';
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
  const { world, session } = visit;
  // A refusal changes nothing, and so leaves what is to be told to the page after it.
  const told = status === 200 ? noticeOf(visit) : undefined;
  const content = html`<header class="bar">
      <strong>Webhooks of the environment ${world.environment}</strong>
      <span class="faint"
        >It is ${readableTime(world.clock.iso())}. The session ends ${readableTime(session.expires_at)}.</span
      >
    </header>
    ${told && alert(told.kind, told.text)} ${problem && alert('bad', problem)} ${body}`;
  const sheet = { title: `${title} · Webhooks`, body: content, wide: true, framedBy: framers(world) };
  return showPage(sheet, { status });
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

export const backLink: Html = html`<p class="back">
  <a href="/ui/webhooks">All endpoints and deliveries</a>
</p>`;
