import { rowNamed } from '../../contract/cause.ts';
import type { ExpectedCeremony } from '@understudy/webauthn/ceremony';
import { Refusal } from '@understudy/webauthn/refusal';
import { failedPrecondition, invalidArgument } from '../../contract/errors.ts';
import type { Env, Rows } from '../../state/env.ts';
import { base64Bytes } from '@understudy/text/base64url';
import { withEnvironmentName } from '@understudy/text/issued-code';
import { ruleNamed } from '../refusals.ts';
import { enabledRelyingParty, timeoutOf } from './relying-party.ts';

export type Ceremony = Rows['passkey_ceremonies'];
export type Passkey = Rows['passkeys'];

/** Stores what the options ask for; the authenticator must answer exactly that. */
export function beginCeremony(env: Env, kind: Ceremony['kind'], user?: Rows['users']) {
  const party = enabledRelyingParty(env);
  const timeout = timeoutOf(party, kind === 'registration' ? 'registration' : 'login');
  const ceremony = env.passkey_ceremonies.insert({
    id: withEnvironmentName(env, env.draw.key('sess')),
    kind,
    challenge: drawBytes(env, 32).toString('base64url'),
    rp_id: party.rpId,
    origins: [...party.origins],
    user_verification: party.userVerification,
    ...(user && { user_id: user.id }),
    status: 'PENDING',
    created_at: env.clock.iso(),
    expires_at: env.clock.after(timeout),
  });
  const known = user ? env.passkeys.list('user_id', user.id).map(descriptorOf) : [];
  return { party, ceremony, timeout, known };
}

/** Throws unless the ceremony still waits for an answer. */
export function refuseUnlessPending({ id, status, expires_at }: Ceremony): void {
  if (status === 'USED')
    throw failedPrecondition('the challenge was used already: start again', {
      rows: [rowNamed('passkey_ceremonies', { id })],
    });
  if (status === 'EXPIRED') throw invalidArgument(`the challenge has expired at ${expires_at}: start again`);
}

/** Throws unless the ceremony still waits for an answer. */
export function expectedBy(ceremony: Ceremony): ExpectedCeremony {
  refuseUnlessPending(ceremony);
  const { challenge, rp_id: rpId, origins, user_verification: userVerification } = ceremony;
  return { challenge, rpId, origins, userVerification };
}

/** What a check of the standard returns. What it refuses is a bad request, with the rule that the refusal names. */
export function judged<T>(check: () => T): T {
  try {
    return check();
  } catch (thrown) {
    if (!(thrown instanceof Refusal)) throw thrown;
    const error = invalidArgument(thrown.message);
    throw thrown.rule === undefined ? error : error.decidedBy(ruleNamed(thrown.rule));
  }
}

export function drawBytes(env: Env, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  for (let at = 0; at < length; at += 4) bytes.writeUInt32BE(env.draw.integer(), at);
  return bytes;
}

/** Bytes of a row, in base64 or base64url. */
export const bytesOf = (text: string): Buffer => Buffer.from(text, 'base64');

/** Bytes that a caller sends. Only one text stands for them, so that nobody can change it and be let in all the same. */
export function receivedBytes<K extends string>(answer: { readonly [P in K]: string }, name: K): Buffer {
  const bytes = base64Bytes(answer[name]);
  if (bytes) return bytes;
  throw invalidArgument(
    `${name} is not base64: encode the bytes in base64 or base64url, and change no character`,
  );
}

/**
 * The id of the user as authenticators keep it, in base64url. Unverified (passkeys/user-handle): the service's own
 * form.
 */
export const userHandle = (userId: string): string => Buffer.from(userId).toString('base64url');

/** Names a passkey in options (WebAuthn 5.8.3). */
const descriptorOf = ({ credential_id, transports }: Passkey) => ({
  type: 'public-key',
  id: bytesOf(credential_id).toString('base64url'),
  ...(transports.length > 0 && { transports }),
});
