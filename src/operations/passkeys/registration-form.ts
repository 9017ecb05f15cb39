import { invalidArgument } from '../../contract/errors.ts';
import type { Html } from '../../pages/html.ts';
import type { Env, Rows } from '../../state/env.ts';
import type { Device } from '../sign-in/device.ts';
import type { Passkey } from './ceremonies.ts';
import { passkeyForm } from './passkey-forms.ts';
import { beginRegistration, finishRegistration } from './registration.ts';

type User = Rows['users'];

const FILLED = [
  'credential_id',
  'attestation_object',
  'client_data_json',
  'transports',
  'authenticator_attachment',
] as const;

/** What the script of the form fills in. */
type FilledForm = Partial<Record<(typeof FILLED)[number], string>>;

/** The form that adds a passkey of the user. Its page needs `REGISTRATION_SCRIPT`. */
export const registrationForm = (env: Env, user: User, page: { action: string; csrf_token: string }): Html =>
  passkeyForm({
    ...page,
    options: beginRegistration(env, user),
    button: 'Add a passkey',
    hidden: { action: 'add' },
    filled: FILLED,
  });

/** Stores the passkey of a form. Throws if a check fails. */
export function registerByForm(env: Env, user: User, form: FilledForm, device: Device): Passkey {
  const { credential_id, attestation_object, client_data_json, transports, authenticator_attachment } = form;
  if (!credential_id || !attestation_object || !client_data_json)
    throw invalidArgument('the browser sent no passkey: this form needs JavaScript');
  const answer = {
    credential_id,
    attestation_object,
    client_data_json,
    transports: transports ? transports.split(',') : [],
    ...(authenticator_attachment && { authenticator_attachment }),
  };
  return finishRegistration(env, user, { answer, device });
}
