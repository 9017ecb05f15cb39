import { html } from '../../pages/html.ts';
import { form, hidden } from '../../pages/parts.ts';
import type { Rows } from '../../world/schema.ts';
import type { World } from '../../world/world.ts';
import type { Answer } from '../answer.ts';
import { showPage } from '../page-answer.ts';
import type { Asked } from './logout-request.ts';

interface Question extends Asked {
  csrf_token: string;
  session: Rows['sessions'];
  target: string | undefined;
}

/** Anyone can send a browser here, so without proof of who wants it the user is asked. */
export function confirmPage(world: World, { session, csrf_token, target, ...asked }: Question): Answer {
  const user = world.users.find(session.user_id);
  const { post_logout_redirect_uri, state, client_id } = asked;
  const kept = Object.entries({ post_logout_redirect_uri, state, client_id });
  const content = html`${kept.map(([name, value]) => value !== undefined && hidden(name, value))}
    <button autofocus>Sign out</button>`;
  const body = html`<section class="card">
    <h1>Sign out?</h1>
    <p>You are signed in as <strong>${user?.email ?? session.user_id}</strong>.</p>
    <p class="faint">
      This signs you out of every application that shares the sign-in. To stay, close this page.
    </p>
    ${form({ action: '/ui/logout', csrf_token, content })}
  </section>`;
  return showPage({ title: 'Sign out', body, leadsTo: [target] });
}

export function signedOutPage(cookies: string[]): Answer {
  const body = html`<section class="card">
    <h1>You are signed out</h1>
    <p class="faint">You can close this page.</p>
  </section>`;
  return showPage({ title: 'Signed out', body }, { cookies });
}
