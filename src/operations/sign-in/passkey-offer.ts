import type { Env } from '../../state/env.ts';
import type { Html } from '../../pages/html.ts';
import { isActive } from '../identity-provider/sign-in-connection.ts';
import { beginAuthentication } from '../passkeys/authentication.ts';
import { passkeyForm } from '../passkeys/passkey-forms.ts';
import { relyingParty } from '../passkeys/relying-party.ts';
import { pagePath, type Transaction } from './transaction.ts';

/** The part of the sign-in page that signs in with a passkey. */
export interface PasskeyOffer {
  form: Html;
  /** Whether the browser offers passkeys in the field of the address. */
  autofill: boolean;
}

const FILLED = ['credential_id', 'authenticator_data', 'client_data_json', 'signature', 'user_handle'];

/** Undefined unless the environment has passkeys switched on. */
export function passkeyOffer(env: Env, transaction: Transaction): PasskeyOffer | undefined {
  const { connection, settings } = relyingParty(env);
  const { show_passkey_button = true, enable_conditional_login: autofill = true } = settings;
  if (!connection || !isActive(connection) || !(show_passkey_button || autofill)) return undefined;
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
