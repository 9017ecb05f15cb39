import type { Env } from '../../state/env.ts';
import type { Html } from '../../pages/html.ts';
import { connectionForEmail, isActive } from '../connections/sign-in-connection.ts';
import { beginAuthentication } from '../passkeys/authentication.ts';
import { passkeyForm } from '../passkeys/passkey-forms.ts';
import { relyingParty } from '../passkeys/relying-party.ts';
import { isSilent } from './organization-choice.ts';
import { pagePath, type Transaction } from './transaction.ts';

/** The part of the sign-in page that signs in with a passkey. */
export interface PasskeyOffer {
  form: Html;
  /** Whether the browser offers passkeys in the field of the address. */
  autofill: boolean;
}

const FILLED = ['credential_id', 'authenticator_data', 'client_data_json', 'signature', 'user_handle'];

/** How the environment's pages offer passkeys; undefined unless it has them switched on. */
export function offeredPasskeys(env: Env) {
  const { connection, settings } = relyingParty(env);
  if (!connection || !isActive(connection)) return undefined;
  const {
    show_passkey_button = true,
    enable_conditional_login = true,
    enable_auto_registration = false,
  } = settings;
  return { connection, show_passkey_button, enable_conditional_login, enable_auto_registration };
}

/**
 * Whether a user who has just signed in is asked to add a passkey (`enable_auto_registration`). Unverified
 * (passkeys/registration-after-sign-in): whoever has none is asked once in each sign-in, unless an identity provider
 * decides about the domain of the address.
 */
export function offersNewPasskey(env: Env, transaction: Transaction & { user_id: string }): boolean {
  const { user_id, session_id, new_passkey_offered } = transaction;
  if (session_id !== undefined || new_passkey_offered || isSilent(transaction)) return false;
  if (!offeredPasskeys(env)?.enable_auto_registration) return false;
  env.decidedBy('passkeys/registration-after-sign-in');
  return (
    env.passkeys.list('user_id', user_id).length === 0 &&
    connectionForEmail(env, env.users.get(user_id).email) === undefined
  );
}

/** Undefined if the page offers no passkeys. */
export function passkeyOffer(env: Env, transaction: Transaction): PasskeyOffer | undefined {
  const offered = offeredPasskeys(env);
  if (!offered) return undefined;
  const { show_passkey_button, enable_conditional_login: autofill } = offered;
  if (!show_passkey_button && !autofill) return undefined;
  const { ceremony, options } = beginAuthentication(env);
  const form = passkeyForm({
    action: pagePath(transaction, 'passkey'),
    csrf_token: transaction.csrf_token,
    options,
    button: show_passkey_button ? 'Continue with Passkey' : undefined,
    hidden: { session_id: ceremony.id },
    filled: FILLED,
    autofill,
  });
  return { form, autofill };
}
