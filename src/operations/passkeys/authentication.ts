import { rowNamed } from '../../contract/cause.ts';
import { failedPrecondition, invalidArgument, notFound } from '../../contract/errors.ts';
import type { Input } from '../../contract/types.ts';
import type { Env, Rows } from '../../state/env.ts';
import { checkAssertion } from '@understudy/webauthn/ceremony';
import type { Operations } from '../handler.ts';
import { deviceIn } from '../sign-in/device.ts';
import { newSession } from '../sign-in/session.ts';
import { enabledRegistration } from '../totp/registrations.ts';
import { beginCeremony, bytesOf, expectedBy, judged, receivedBytes, userHandle } from './ceremonies.ts';
import type { Ceremony, Passkey } from './ceremonies.ts';
import { enabledRelyingParty, relyingParty } from './relying-party.ts';

type User = Rows['users'];
type Answer = Input<'WebAuthnService_FinishAuthentication'>['body'];

export const authentication = {
  WebAuthnService_BeginAuthentication({ body }, env) {
    const { ceremony, options } = beginAuthentication(env, body?.email ? userOf(env, body.email) : undefined);
    return { session_id: ceremony.id, options };
  },

  WebAuthnService_FinishAuthentication({ body, headers }, env) {
    const { user, isVerified } = finishAuthentication(env, body);
    if (!isVerified) refuseWithSecondFactor(env, user);
    const { connection } = relyingParty(env);
    // Unverified (passkeys/session-token): how the session token ends a sign-in that the hosted pages began.
    env.decidedBy('passkeys/session-token');
    const session = newSession(env, { user_id: user.id, device: deviceIn(headers) });
    env.sessions.insert({ ...session, connection_ids: [connection?.id ?? 'passkey'] });
    env.users.update(user.id, { last_login_time: env.clock.iso() });
    return { success: true, user_id: user.id, session_token: session.cookie };
  },
} satisfies Partial<Operations>;

/**
 * A passkey whose authenticator has not verified the user is one factor only. The pages then ask for a code.
 * Unverified (second-factors/passkey-api): this operation takes no code, so it refuses.
 */
function refuseWithSecondFactor(env: Env, { id }: User): void {
  const app = enabledRegistration(env, id);
  if (app)
    throw failedPrecondition(
      `user ${id} has the authenticator app ${app.id}, and the passkey has not verified the user: answer with user verification, or sign in on the hosted page`,
      { rows: [rowNamed('totp_registrations', app)], leads: ['TOTPService_DisableTOTP'] },
    ).decidedBy('second-factors/passkey-api');
}

/**
 * Unverified (passkeys/address-without-passkey): an address without a passkey is refused, and not answered with options
 * that nobody can use.
 */
function userOf(env: Env, email: string): User {
  const user = env.users.findBy('email', email.toLowerCase());
  if (!user) throw notFound('user', email);
  if (env.passkeys.list('user_id', user.id).length === 0)
    throw failedPrecondition(`user ${user.id} has no passkey`, {
      rows: [rowNamed('users', user)],
      leads: ['WebAuthnService_BeginRegistration'],
    }).decidedBy('passkeys/address-without-passkey');
  return user;
}

interface BegunAuthentication {
  ceremony: Ceremony;
  /** Request options in WebAuthn's JSON form. */
  options: Record<string, unknown>;
}

/** Without a user, the browser offers every passkey of the host. */
export function beginAuthentication(env: Env, user?: User): BegunAuthentication {
  const { party, ceremony, timeout, known } = beginCeremony(env, 'sign_in', user);
  const options = {
    challenge: ceremony.challenge,
    timeout,
    rpId: party.rpId,
    allowCredentials: known,
    userVerification: party.userVerification,
  };
  return { ceremony, options };
}

interface PasskeyProof {
  user: User;
  /** Whether the authenticator has verified the user, which makes the passkey a second factor, too. */
  isVerified: boolean;
}

/** Who signs in with the passkey. Throws if a check fails; the challenge can then be answered again. */
export function finishAuthentication(
  env: Env,
  { session_id, credential_id, response }: Answer,
): PasskeyProof {
  enabledRelyingParty(env);
  const ceremony = env.passkey_ceremonies.find(session_id);
  if (ceremony?.kind !== 'sign_in') throw notFound('sign-in with a passkey', session_id);
  const expected = expectedBy(ceremony);
  const passkey = allowedPasskey(env, ceremony, receivedBytes({ credential_id }, 'credential_id'));
  if (!receivedBytes(response, 'user_handle').equals(bytesOf(userHandle(passkey.user_id))))
    throw invalidArgument('user_handle is not that of the user of the passkey');
  const answer = {
    authenticatorData: receivedBytes(response, 'authenticator_data'),
    clientData: receivedBytes(response, 'client_data_json'),
    signature: receivedBytes(response, 'signature'),
  };
  const known = { publicKey: bytesOf(keyOf(passkey)), signCount: passkey.sign_count ?? 0 };
  const { flags, signCount } = judged(() => checkAssertion(answer, expected, known));
  env.passkey_ceremonies.update(ceremony.id, { status: 'USED' });
  env.passkeys.update(passkey.id, {
    sign_count: signCount,
    authenticator_flags: flags,
    updated_at: env.clock.iso(),
  });
  return { user: env.users.get(passkey.user_id), isVerified: flags.user_verified };
}

function allowedPasskey(env: Env, { user_id }: Ceremony, bytes: Buffer): Passkey {
  const passkey = env.passkeys.findBy('credential_id', bytes.toString('base64'));
  if (!passkey) throw notFound('passkey', bytes.toString('base64url'));
  if (user_id !== undefined && passkey.user_id !== user_id)
    throw invalidArgument(`passkey ${passkey.id} is not one of allowCredentials`);
  return passkey;
}

function keyOf({ id, public_key }: Passkey): string {
  if (public_key !== undefined) return public_key;
  throw failedPrecondition(`passkey ${id} has no public_key, so nobody can sign in with it`, {
    rows: [rowNamed('passkeys', { id })],
    leads: ['WebAuthnService_BeginRegistration'],
  });
}
