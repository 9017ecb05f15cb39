import type { Env } from '../../environment/env.ts';
import type { ApiError } from '../../errors.ts';
import { alert, sentence } from '../../pages/controls.ts';
import { html, type Fragment, type Html } from '../../pages/html.ts';
import { framers, showPage, type CustomReply } from '../custom-reply.ts';

/** What a page of a portal is about. */
export interface PortalPage {
  title: string;
  body: Fragment;
  /** A problem that belongs to no single field. */
  problem?: string | undefined;
  /** HTTP status: 200 unless the form was rejected. */
  status?: number;
}

/** What stands around every page of one portal. */
interface PortalFrame {
  /** The end of the window's title. */
  portal: string;
  heading: Html;
  /** The result of the previous form. */
  notice?: { kind: 'good' | 'note'; text: string } | undefined;
  /** A script, and the markup that it reads. */
  script?: string;
  markup?: Html;
}

export function showPortalPage(
  env: Env,
  { title, body, problem, status = 200 }: PortalPage,
  { portal, heading, notice, markup, script }: PortalFrame,
): CustomReply {
  const content = html`<header class="bar">${heading}</header>
    ${notice && alert(notice.kind, notice.text)} ${problem && alert('bad', problem)} ${body} ${markup}`;
  const sheet = { title: `${title} · ${portal}`, body: content, wide: true, framedBy: framers(env) };
  return showPage({ ...sheet, ...(script !== undefined && { script }) }, { status });
}

/** A rejection that belongs to no form. */
export const refusalContent = ({ status, message }: ApiError, backLink: Html): PortalPage => ({
  title: 'Not possible',
  body: html`<section class="card">
    <h1>${status === 404 ? 'Not found' : 'This cannot be done'}</h1>
    <p class="alert bad" role="alert">${sentence(message)}</p>
    <p class="faint">Status ${status}.</p>
    ${backLink}
  </section>`,
  status,
});

/** Why a portal does not open. */
export interface PortalFailure {
  status: number;
  title: string;
  text: string;
  /** Tells the developer of the embedding page why the portal cannot be shown. */
  hint?: string;
}

export function showPortalFailure(
  env: Env,
  { status, title, text, hint }: PortalFailure,
  { windowTitle = title, markup, script }: { windowTitle?: string; markup?: Html; script?: string } = {},
): CustomReply {
  const body = html`<section class="card">
      <h1>${title}</h1>
      <p class="alert bad" role="alert">${text}</p>
      ${hint !== undefined && html`<p class="faint">${hint}</p>`}
      <p class="faint">Status ${status}.</p>
    </section>
    ${markup}`;
  const sheet = { title: windowTitle, body, framedBy: framers(env) };
  return showPage({ ...sheet, ...(script !== undefined && { script }) }, { status });
}
