import type { Env, Rows } from '../../state/env.ts';
import { field, form } from '../../pages/controls.ts';
import { fullName } from '@understudy/text/words';
import type { PasskeyOffer } from './passkey-offer.ts';
import { effectivePermissions } from '../roles/role-lookup.ts';
import { breakable, html, type Fragment, type Html } from '../../pages/html.ts';

/** What the forms submit to. */
interface SignInTarget {
  action: string;
  csrf_token: string;
}

export interface Choosable {
  value: string;
  name: string;
  /** Distinguishes it from others with the same name. */
  note?: string | undefined;
  details?: readonly ChoiceDetail[];
}

/** A line below a choice. */
interface ChoiceDetail {
  text: string;
  /** Why the choice may fail, such as `Expired`. */
  status?: string | undefined;
}

interface SignInPage extends SignInTarget {
  application: string;
  /** The organization to enter. */
  organization?: string | undefined;
  email?: string | undefined;
  problem?: Fragment;
  /** What is mailed to the address first, if anything. */
  mailed: 'code' | 'link' | undefined;
  passkey: PasskeyOffer | undefined;
  connections: readonly Choosable[];
  users: readonly Choosable[];
  signUpAddress: string;
}

/** Lets users identify themselves: by address, with a provider, or by choosing an existing user. */
export function signInBody(page: SignInPage): Html {
  const { application, organization, passkey, connections, users, signUpAddress } = page;
  return html`<section class="card">
      <h1>Sign in</h1>
      <p class="faint">to continue to ${application}${organization && ` as a member of ${organization}`}</p>
      ${addressForm(page)} ${connections.length > 0 && html`<div class="or">or</div>`}
      ${connections.map((each) => connectionForm(page, each))} ${passkey?.form}
      <p class="faint">New here? <a href="${signUpAddress}">Sign up</a></p>
    </section>
    ${users.length > 0 && userPicker(page, users)}`;
}

function addressForm({ action, csrf_token, email, problem, mailed, passkey }: SignInPage): Html {
  const address = field({
    name: 'email',
    label: 'E-mail address',
    type: 'email',
    value: email,
    problem,
    hint: mailed && `We will mail a ${mailed} to this address.`,
    autocomplete: passkey?.autofill ? 'username webauthn' : 'username',
    required: true,
    autofocus: true,
  });
  const content = html`${address}${CONTINUE}`;
  return form({ action, csrf_token, content });
}

/** The whole name of the button, by which published tests find it. */
export const CONTINUE = html`<button type="submit">Continue</button>`;

const connectionForm = ({ action, csrf_token }: SignInTarget, { value, name }: Choosable): Html =>
  form({
    action,
    csrf_token,
    content: html`<button class="quiet" name="connection_id" value="${value}">${name}</button>`,
  });

const userPicker = ({ action, csrf_token }: SignInTarget, users: readonly Choosable[]): Html =>
  html`<details class="card" open>
    <summary><h2>Pick a user</h2></summary>
    <p class="faint">For tests: signs in at once, without a password or a code.</p>
    ${form({ action, csrf_token, content: users.map((each) => choice('user_id', each)) })}
  </details>`;

/** One of several choices, each with its own button. */
export const choice = (field: string, { value, name, note, details = [] }: Choosable): Html =>
  html`<button class="choice" name="${field}" value="${value}">
    ${choiceText(name, note)}${details.map(
      ({ text, status }) =>
        html`<small class="detail">${text} ${status && html`<span class="badge">${status}</span>`}</small>`,
    )}
  </button>`;

/** A name and the address beside it. */
export const choiceText = (name: string, note?: string): Html =>
  html`<span>${breakable(name)}</span>${note && html` <small>${breakable(note)}</small>`}`;

/** Testers of larger environments type the address. */
const MOST_USERS = 8;

export function usersToPick(env: Env): Choosable[] {
  const users = env.users.list().slice(0, MOST_USERS);
  const permissions = new Map(users.map(({ id }) => [id, mostPermissions(env, id)]));
  return users
    .toSorted((a, b) => permissions.get(a.id)! - permissions.get(b.id)!)
    .map((user) => {
      const name = fullName(user.user_profile);
      return {
        value: user.id,
        name: name || user.email,
        note: name ? user.email : undefined,
        details: detailsOf(env, user),
      };
    });
}

/**
 * Users with few permissions come first, because their tokens are short: browsers drop a cookie of more than 4096 bytes.
 * Users who are in no organization come last.
 */
function mostPermissions(env: Env, user_id: string): number {
  const active = env.memberships
    .list('user_id', user_id)
    .filter(({ membership_status }) => membership_status === 'ACTIVE')
    .map(
      ({ role_ids }) =>
        effectivePermissions(
          env,
          role_ids.map((id) => env.roles.get(id)),
        ).length,
    );
  return active.length > 0 ? Math.max(...active) : Number.MAX_SAFE_INTEGER;
}

const STATUSES: Readonly<Record<string, string>> = {
  INACTIVE: 'Inactive',
  PENDING_INVITE: 'Invited',
  INVITE_EXPIRED: 'Invitation expired',
};

/** The user's organizations, each with the roles and the status of the membership unless it is active. */
function detailsOf(env: Env, { id }: Rows['users']): ChoiceDetail[] {
  const memberships = env.memberships.list('user_id', id);
  if (memberships.length === 0) return [{ text: 'No organization' }];
  return memberships.map(({ organization_id, role_ids, membership_status }) => {
    const roles = role_ids.map((role) => env.roles.get(role).display_name);
    const { display_name } = env.organizations.get(organization_id);
    return {
      text: [display_name, roles.join(', ')].filter(Boolean).join(' · '),
      status: STATUSES[membership_status],
    };
  });
}
