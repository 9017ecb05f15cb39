import { alreadyExists, failedPrecondition, invalidArgument } from '../../contract/errors.ts';
import type { Input } from '../../contract/types.ts';
import type { Env, Rows } from '../../state/env.ts';
import { checkRegistration, type NewPasskey } from '@understudy/webauthn/ceremony';
import { readClientData } from '@understudy/webauthn/client-data';
import { ALGORITHMS } from '@understudy/webauthn/cose';
import type { Operations } from '../handler.ts';
import { deviceIn, type Device } from '../sign-in/device.ts';
import { userName } from '../interceptors/ask.ts';
import { nameOfModel } from './authenticator-models.ts';
import { beginCeremony, expectedBy, judged, receivedBytes, userHandle } from './ceremonies.ts';
import type { Ceremony, Passkey } from './ceremonies.ts';
import { enabledRelyingParty } from './relying-party.ts';

type User = Rows['users'];
type Answer = Input<'WebAuthnService_FinishRegistration'>['body'];

export const registration = {
  WebAuthnService_BeginRegistration(_, env) {
    return { options: beginRegistration(env, callingUser(env)) };
  },

  WebAuthnService_FinishRegistration({ body, headers }, env) {
    finishRegistration(env, callingUser(env), { answer: body, device: deviceIn(headers) });
    return { success: true };
  },
} satisfies Partial<Operations>;

function callingUser(env: Env): User {
  const { user_id } = env.caller ?? {};
  // Unverified (passkeys/registration-by-client): a client's token is allowed here, but the request names no user.
  if (!user_id)
    throw invalidArgument('the caller is not a user: only users register passkeys, for themselves').decidedBy(
      'passkeys/registration-by-client',
    );
  return env.users.get(user_id);
}

/**
 * Creation options in WebAuthn's JSON form. Unverified (passkeys/creation-options): they are not wrapped in
 * `publicKey`, so that browsers parse them as they are.
 */
export function beginRegistration(env: Env, user: User): Record<string, unknown> {
  const { party, ceremony, timeout, known } = beginCeremony(env, 'registration', user);
  const { authenticator_attachment } = party.settings.authenticator_selection ?? {};
  return {
    rp: { id: party.rpId, name: party.rpId },
    user: { id: userHandle(user.id), name: user.email, displayName: userName(user) || user.email },
    challenge: ceremony.challenge,
    pubKeyCredParams: Object.values(ALGORITHMS).map((alg) => ({ type: 'public-key', alg })),
    timeout,
    excludeCredentials: known,
    authenticatorSelection: {
      ...(authenticator_attachment && { authenticatorAttachment: authenticator_attachment }),
      // Sign-ins need the user handle, which only such passkeys send.
      residentKey: 'required',
      requireResidentKey: true,
      userVerification: party.userVerification,
    },
    attestation: party.settings.attestation?.conveyance_preference ?? 'none',
  };
}

export interface RegistrationAnswer {
  answer: Answer;
  device: Device;
}

/** Checks the authenticator's answer and stores the passkey. */
export function finishRegistration(env: Env, user: User, { answer, device }: RegistrationAnswer): Passkey {
  const party = enabledRelyingParty(env);
  const clientData = receivedBytes(answer, 'client_data_json');
  const ceremony = ceremonyOf(env, user, judged(() => readClientData(clientData)).challenge);
  const credentialId = receivedBytes(answer, 'credential_id');
  const attestationObject = receivedBytes(answer, 'attestation_object');
  const expected = expectedBy(ceremony);
  const passkey = judged(() =>
    checkRegistration({ clientData, credentialId, attestationObject }, expected, env.clock.ms),
  );
  const credential_id = passkey.id.toString('base64');
  if (env.passkeys.findBy('credential_id', credential_id))
    throw alreadyExists(`passkey ${passkey.id.toString('base64url')} is registered already`);
  env.passkey_ceremonies.update(ceremony.id, { status: 'USED' });
  const attested = party.settings.attestation?.conveyance_preference === 'indirect' ? 'indirect' : 'direct';
  return env.passkeys.insert({
    id: env.draw.id('cred'),
    user_id: user.id,
    credential_id,
    attestation_type: passkey.format === 'none' ? 'none' : attested,
    ...authenticatorOf(passkey, answer),
    ...deviceRow(device),
    public_key: passkey.publicKey.toString('base64'),
    sign_count: passkey.signCount,
    created_at: env.clock.iso(),
    updated_at: env.clock.iso(),
  });
}

/**
 * The registration has no id in the request, so its challenge finds it. Unverified (passkeys/several-registrations):
 * several may be open at once.
 */
function ceremonyOf(env: Env, { id }: User, challenge: unknown): Ceremony {
  const ceremony =
    typeof challenge === 'string' ? env.passkey_ceremonies.findBy('challenge', challenge) : undefined;
  if (ceremony?.kind !== 'registration' || ceremony.user_id !== id)
    throw failedPrecondition('no registration of this user has the challenge in client_data_json');
  return ceremony;
}

function authenticatorOf(
  { aaguid, flags }: NewPasskey,
  { transports = [], authenticator_attachment: attachment }: Answer,
): Pick<Passkey, 'authenticator' | 'transports' | 'authenticator_flags'> {
  const isPlatform =
    attachment === 'platform' || (attachment !== 'cross-platform' && transports.includes('internal'));
  return {
    authenticator: {
      aaguid,
      name: nameOfModel(aaguid),
      attachment: isPlatform ? 'platform' : 'cross-platform',
    },
    transports,
    authenticator_flags: flags,
  };
}

function deviceRow({ user_agent = '', ip = '', location: _, ...device }: Device) {
  return { user_agent: { raw: user_agent, ...device }, client_info: { ip } };
}
