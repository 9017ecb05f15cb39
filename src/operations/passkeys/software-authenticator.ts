import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { invalidArgument, notFound } from '../../contract/errors.ts';
import type { Env, Tables, Rows } from '../../state/env.ts';
import {
  assert,
  coseKeyOf,
  privateKeyOf,
  register,
  type SoftwareAlgorithm,
} from '@understudy/webauthn/authenticator';
import { bytesOf, drawBytes, refuseUnlessPending, userHandle, type Ceremony } from './ceremonies.ts';
import { relyingParty } from './relying-party.ts';

type AuthenticatorKey = Rows['authenticator_keys'];

export interface WantedPasskey {
  /** Id or e-mail address. */
  user: string;
  algorithm?: SoftwareAlgorithm;
  display_name?: string;
  /** The host that it belongs to. Without it, it signs for every host. */
  rp_id?: string;
}

/** Makes a passkey and registers it, as if the user had done it in a browser. */
export function createPasskey(env: Env, { user, algorithm, display_name, rp_id }: WantedPasskey) {
  const found = env.users.find(user) ?? env.users.findBy('email', user.toLowerCase());
  if (!found) throw notFound('user', user);
  const made = makePasskey(env, { user_id: found.id, ...(rp_id && { rp_id }) }, algorithm);
  const now = env.clock.iso();
  env.passkeys.insert({
    id: env.draw.id('cred'),
    user_id: found.id,
    credential_id: made.credential_id,
    attestation_type: 'none',
    authenticator: { aaguid: NO_MODEL, name: 'Understudy', attachment: 'platform' },
    transports: ['internal'],
    authenticator_flags: {
      user_present: true,
      user_verified: true,
      backup_eligible: false,
      backup_state: false,
    },
    public_key: coseKeyOf(keyIn(made)).toString('base64'),
    sign_count: 0,
    created_at: now,
    updated_at: now,
    ...(display_name && { display_name }),
  });
  return viewPasskey(env, made, rp_id ?? relyingParty(env).rpId);
}

const NO_MODEL = '00000000-0000-0000-0000-000000000000';

type Owner = Pick<AuthenticatorKey, 'user_id' | 'rp_id'>;

function makePasskey(env: Env, owner: Owner, algorithm: SoftwareAlgorithm = 'ES256'): AuthenticatorKey {
  const privateKey = privateKeyOf(algorithm, drawBytes(env, 32));
  return env.authenticator_keys.insert({
    ...owner,
    id: env.draw.id('apk'),
    credential_id: drawBytes(env, 16).toString('base64'),
    private_key: privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64'),
    sign_count: 0,
  });
}

export function listPasskeys(env: Env) {
  const { rpId } = relyingParty(env);
  return env.authenticator_keys.list().map((passkey) => viewPasskey(env, passkey, passkey.rp_id ?? rpId));
}

/** In the fields that Playwright and the Chrome DevTools Protocol take. */
function viewPasskey(
  { passkeys, users }: Pick<Tables, 'passkeys' | 'users'>,
  passkey: AuthenticatorKey,
  rp_id: string,
) {
  const { user_id, private_key, sign_count } = passkey;
  const [id, privateKey] = [bytesOf(passkey.credential_id), bytesOf(private_key)];
  const handle = userHandle(user_id);
  const known = passkeys.findBy('credential_id', id.toString('base64'));
  const publicKey = createPublicKey(keyIn(passkey)).export({ format: 'der', type: 'spki' });
  return {
    ...(known && { id: known.id }),
    user_id,
    credential_id: id.toString('base64url'),
    rp_id,
    sign_count,
    playwright: {
      id: id.toString('base64url'),
      userHandle: handle,
      privateKey: privateKey.toString('base64url'),
      publicKey: publicKey.toString('base64url'),
    },
    cdp: {
      credentialId: id.toString('base64'),
      isResidentCredential: true,
      rpId: rp_id,
      privateKey: privateKey.toString('base64'),
      userHandle: bytesOf(handle).toString('base64'),
      signCount: sign_count,
      userName: users.find(user_id)?.email ?? user_id,
    },
  };
}

/** The key of a row, which anybody may have written. */
function keyIn({ id, private_key }: Pick<AuthenticatorKey, 'id' | 'private_key'>): KeyObject {
  try {
    return createPrivateKey({ key: bytesOf(private_key), format: 'der', type: 'pkcs8' });
  } catch {
    throw invalidArgument(`authenticator_keys/${id}: private_key is not a key in PKCS#8`);
  }
}

export interface PasskeyChallenge {
  challenge: string;
  credential_id?: string;
  origin?: string;
  user_verified?: boolean;
  sign_count?: number;
}

/** Answers options as browser and authenticator would: the body of the call that comes next. */
export function answerChallenge(env: Env, wanted: PasskeyChallenge) {
  const ceremony = env.passkey_ceremonies.findBy('challenge', wanted.challenge);
  if (!ceremony) throw notFound('challenge', wanted.challenge);
  refuseUnlessPending(ceremony);
  return ceremony.kind === 'sign_in'
    ? ({ operation: 'WebAuthnService_FinishAuthentication', body: signIn(env, ceremony, wanted) } as const)
    : ({
        operation: 'WebAuthnService_FinishRegistration',
        body: registration(env, ceremony, wanted),
      } as const);
}

function registration(env: Env, ceremony: Ceremony, wanted: PasskeyChallenge) {
  const made = makePasskey(env, { user_id: ceremony.user_id ?? '', rp_id: ceremony.rp_id });
  const passkey = softwarePasskey(made, ceremony, wanted, wanted.sign_count ?? 0);
  const { attestationObject, clientData } = register(passkey, browserAt(ceremony, wanted));
  return {
    credential_id: made.credential_id,
    attestation_object: attestationObject.toString('base64'),
    client_data_json: clientData.toString('base64'),
    type: 'public-key',
    transports: ['internal'],
    authenticator_attachment: 'platform',
  };
}

function signIn(env: Env, ceremony: Ceremony, wanted: PasskeyChallenge) {
  const chosen = chosenPasskey(env, ceremony, wanted.credential_id);
  const count = wanted.sign_count ?? chosen.sign_count + 1;
  const signed = env.authenticator_keys.update(chosen.id, { sign_count: count });
  const passkey = softwarePasskey(signed, ceremony, wanted, count);
  const { authenticatorData, clientData, signature } = assert(passkey, browserAt(ceremony, wanted));
  return {
    session_id: ceremony.id,
    credential_id: chosen.credential_id,
    type: 'public-key',
    response: {
      authenticator_data: authenticatorData.toString('base64'),
      client_data_json: clientData.toString('base64'),
      signature: signature.toString('base64'),
      user_handle: userHandle(chosen.user_id),
    },
    authenticator_attachment: 'platform',
  };
}

/** The newest one that a browser would offer, or the one that is wanted. */
function chosenPasskey(env: Env, { rp_id, user_id }: Ceremony, credentialId?: string): AuthenticatorKey {
  const { authenticator_keys } = env;
  if (credentialId !== undefined) {
    const wanted = authenticator_keys.findBy('credential_id', bytesOf(credentialId).toString('base64'));
    if (!wanted) throw notFound('passkey of the software authenticator', credentialId);
    return wanted;
  }
  const all = user_id ? authenticator_keys.list('user_id', user_id) : authenticator_keys.list();
  const newest = all.findLast((each) => each.rp_id === undefined || each.rp_id === rp_id);
  if (newest) return newest;
  const whose = user_id ? ` of user ${user_id}` : '';
  throw notFound('passkey of the software authenticator', `for ${rp_id}${whose}`);
}

const softwarePasskey = (
  row: AuthenticatorKey,
  { rp_id }: Ceremony,
  { user_verified = true }: PasskeyChallenge,
  signCount: number,
) => ({
  credentialId: bytesOf(row.credential_id),
  privateKey: keyIn(row),
  rpId: row.rp_id ?? rp_id,
  signCount,
  userPresent: true,
  userVerified: user_verified,
});

const browserAt = ({ origins }: Ceremony, { challenge, origin = origins[0] ?? '' }: PasskeyChallenge) => ({
  challenge,
  origin,
});
