import { invalidArgument } from '../../contract/errors.ts';
import type { Rows } from '../../state/env.ts';
import type { Operations } from '../handler.ts';
import { refuseOtherUsers } from '../lists.ts';
import { bytesOf, userHandle } from './ceremonies.ts';
import { relyingParty } from './relying-party.ts';

type Passkey = Rows['passkeys'];

export const credentials = {
  WebAuthnService_ListCredentials({ query }, env) {
    const wanted = query.user_id || env.caller?.user_id;
    if (!wanted) throw invalidArgument('user_id is required: the caller is not a user');
    refuseOtherUsers(env, wanted);
    const user = env.users.get(wanted);
    const credentials = env.passkeys.list('user_id', user.id).map(viewPasskey);
    return {
      credentials,
      all_accepted_credentials_options: {
        rp_id: relyingParty(env).rpId,
        // Unverified (passkeys/accepted-user): browsers take the user handle in base64url, and refuse an id `usr_…`.
        user_id: userHandle(user.id),
        all_accepted_credential_ids: credentials.map(({ credential_id }) => base64url(credential_id)),
      },
    };
  },

  WebAuthnService_UpdateCredential({ path, body }, env) {
    const { id, user_id } = env.passkeys.get(path.credential_id);
    refuseOtherUsers(env, user_id);
    const { display_name } = body;
    const renamed = env.passkeys.update(id, { display_name, updated_at: env.clock.iso() });
    return { credential: viewPasskey(renamed) };
  },

  WebAuthnService_DeleteCredential({ path }, env) {
    const { id, credential_id, user_id } = env.passkeys.get(path.credential_id);
    refuseOtherUsers(env, user_id);
    env.remove('passkeys', id);
    return {
      success: true,
      unknown_credential_options: { rp_id: relyingParty(env).rpId, credential_id: base64url(credential_id) },
    };
  },
} satisfies Partial<Operations>;

/** Browsers encode credential ids as base64url without padding; JSON has plain base64 (WebAuthn 5.1.10). */
const base64url = (bytes: string) => bytesOf(bytes).toString('base64url');

const AGENT = {
  raw: '',
  url: '',
  browser: '',
  browser_version: '',
  os: '',
  os_version: '',
  device_type: '',
  device_model: '',
};
const PLACE = { ip: '', region: '', region_subdivision: '', city: '' };
const FLAGS = { user_present: false, user_verified: false, backup_eligible: false, backup_state: false };

function viewPasskey(passkey: Passkey) {
  const { public_key: _, sign_count: __, ...visible } = passkey;
  const { authenticator, authenticator_flags: flags, user_agent, client_info, ...shown } = visible;
  return {
    ...shown,
    authenticator: { icon_dark: '', icon_light: '', ...authenticator },
    ...(flags && { authenticator_flags: { ...FLAGS, ...flags } }),
    ...(user_agent && { user_agent: { ...AGENT, ...user_agent } }),
    ...(client_info && { client_info: { ...PLACE, ...client_info } }),
  };
}
