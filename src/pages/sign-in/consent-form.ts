import { isWebAddress } from '../../text/addresses.ts';
import { breakable, html, type Html } from '../html.ts';
import { alert, form } from '../controls.ts';
import type { SignInTarget } from './sign-in-form.ts';

interface ConsentPage extends SignInTarget {
  client: string;
  resource: string;
  email: string;
  organization: string | undefined;
  scopes: readonly { name: string; description: string }[];
  redirect_uri: string;
  /** The client registered itself, so nobody vouches for its name. */
  isSelfMade: boolean;
  /** Pages of the client. They come from outside, so only web addresses are shown. */
  links: readonly (readonly [text: string, address: string | undefined])[];
  problem?: string | undefined;
  back: string;
}

/** Asks whether a client may use a protected resource in the user's name. */
export function consentBody(page: ConsentPage): Html {
  const { action, csrf_token, client, resource, email, organization, isSelfMade, problem, back } = page;
  const whose = organization === undefined ? '' : ` of ${organization}`;
  return html`<section class="card">
    <h1>Allow access to ${resource}?</h1>
    <p><strong>${client}</strong> asks to use ${resource} as ${breakable(email)}${whose}.</p>
    ${problem && alert('bad', problem)} ${scopeList(page)}
    ${isSelfMade && alert('note', 'This client registered itself: nobody has checked its name.')}
    ${form({ action, csrf_token, content: DECISION })}
    <p class="faint">Afterwards you go to ${breakable(destination(page.redirect_uri))}.</p>
    ${clientLinks(page)}
    <p class="faint">Not you? <a href="${back}">Sign in as another user</a></p>
  </section>`;
}

const DECISION = html`<button name="decision" value="allow" autofocus>Allow</button>
  <button class="quiet" name="decision" value="deny">Deny</button>`;

const scopeList = ({ scopes }: ConsentPage): Html | false =>
  scopes.length > 0 &&
  html`<h2>Requested access</h2>
    <ul>
      ${scopes.map(({ name, description }) => html`<li>${description} <code>${name}</code></li>`)}
    </ul>`;

function clientLinks({ links }: ConsentPage): Html | false {
  const shown = links.filter((pair): pair is [string, string] => isWebAddress(pair[1] ?? ''));
  return (
    shown.length > 0 &&
    html`<p class="faint">
      ${shown.map(([text, address]) => html`<a href="${address}" rel="noreferrer">${text}</a> `)}
    </p>`
  );
}

/** The host that gets the code, which is what a user can judge. */
const destination = (address: string) =>
  URL.canParse(address) ? new URL(address).host || new URL(address).protocol : address;
