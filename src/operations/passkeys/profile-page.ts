import { ApiError, invalidArgument, notFound } from '../../contract/errors.ts';
import type { Input } from '../../contract/types.ts';
import { alert, field, form, readableTime, sentence } from '../../pages/controls.ts';
import { html, type Fragment, type Html } from '../../pages/html.ts';
import type { Env, Rows } from '../../state/env.ts';
import { Redirect, showPage, type CustomReply, type Operations } from '../handler.ts';
import { checkCsrfToken } from '../hosted/browser.ts';
import { profileSession, profileToken } from '../hosted/profile.ts';
import { deviceIn, type Device } from '../sign-in/device.ts';
import type { Passkey } from './ceremonies.ts';
import { REGISTRATION_SCRIPT } from './passkey-forms.ts';
import { registerByForm, registrationForm } from './registration-form.ts';

type Session = Rows['sessions'];
type Form = Input<'ProfilePage_ChangePasskeys'>['body'];

const PATH = '/ui/profile/passkeys';

export const profilePage = {
  ProfilePage_ShowPasskeys({ cookies }, env) {
    return passkeysPage(env, profileSession(env, cookies));
  },

  ProfilePage_ChangePasskeys({ cookies, body, headers }, env) {
    const session = profileSession(env, cookies);
    checkCsrfToken(body, profileToken(session));
    try {
      change(env, env.users.get(session.user_id), body, deviceIn(headers));
    } catch (thrown) {
      if (thrown instanceof ApiError) return passkeysPage(env, session, sentence(thrown.message));
      throw thrown;
    }
    return new Redirect(`${env.baseUrl}${PATH}`, { status: 303 });
  },
} satisfies Partial<Operations>;

function change(env: Env, user: Rows['users'], body: Form, device: Device): void {
  if (body.action === 'add') return void registerByForm(env, user, body, device);
  const passkey = env.passkeys.find(body.passkey_id ?? '');
  if (passkey?.user_id !== user.id) throw notFound('passkey', body.passkey_id ?? '');
  if (body.action === 'remove') return env.remove('passkeys', passkey.id);
  const display_name = body.display_name?.trim();
  if (!display_name) throw invalidArgument('the name of a passkey must not be empty');
  env.passkeys.update(passkey.id, { display_name, updated_at: env.clock.iso() });
}

function passkeysPage(env: Env, session: Session, problem?: Fragment): CustomReply {
  const user = env.users.get(session.user_id);
  const csrf_token = profileToken(session);
  const passkeys = env.passkeys.list('user_id', user.id);
  const add = registrationForm(env, user, { action: PATH, csrf_token });
  const body = html`<section class="card">
    <h1>Passkeys</h1>
    <p class="faint">of ${user.email}</p>
    ${problem && alert('bad', problem)} ${passkeys.length === 0 && html`<p>You have no passkey.</p>`}
    ${passkeys.map((each) => passkeySection(each, csrf_token))} ${add}
  </section>`;
  const sheet = { title: 'Passkeys', body, script: REGISTRATION_SCRIPT };
  return showPage(sheet, { status: problem ? 400 : 200 });
}

function passkeySection(passkey: Passkey, csrf_token: string): Html {
  const { id, display_name, authenticator, created_at, updated_at } = passkey;
  const name = display_name || authenticator.name || 'Passkey';
  const hidden = (action: string) =>
    html`<input type="hidden" name="passkey_id" value="${id}" />
      <input type="hidden" name="action" value="${action}" />`;
  const nameField = field({ name: 'display_name', id: `name-of-${id}`, label: 'Name', value: name });
  return html`<h2>${name}</h2>
    <p class="faint">
      ${['Created: ' + readableTime(created_at), ...placeOf(passkey)].join(', ')}<br />Last used:
      ${readableTime(updated_at)}
    </p>
    ${form({ action: PATH, csrf_token, content: html`${hidden('rename')}${nameField}<button class="quiet">Rename</button>` })}
    ${form({ action: PATH, csrf_token, content: html`${hidden('remove')}<button class="quiet">Remove ${name}</button>` })}`;
}

/** Such as `Chrome on macOS in Seattle`. */
function placeOf({ user_agent: { browser, os } = {}, client_info: { city } = {} }: Passkey): string[] {
  const text = [browser, os && `on ${os}`, city && `in ${city}`].filter(Boolean).join(' ');
  return text ? [text] : [];
}
