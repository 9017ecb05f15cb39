import { CALL, checkOptions, type NamesOf, type Transport } from './transport.ts';
import type { CallOptions, PasskeyAnswer, SoftwarePasskey } from './types.ts';

export interface PasskeyOptions extends CallOptions {
  /** ES256 if omitted. */
  algorithm?: 'ES256' | 'EdDSA' | undefined;
  displayName?: string | undefined;
  /** The host that it belongs to, such as that of `env.browserUrl`. If omitted, it signs for every host. */
  rpId?: string | undefined;
}

export interface SignOptions extends CallOptions {
  /** The passkey that signs, in base64url; the newest one that fits if omitted. */
  credentialId?: string | undefined;
  /** The page's origin; the first allowed one if omitted. */
  origin?: string | undefined;
  /** `false`: the authenticator did not verify the user. */
  userVerified?: boolean | undefined;
  /** The signature counter; the next one if omitted. */
  signCount?: number | undefined;
}

/** An authenticator without a browser. */
export class PasskeyControl {
  readonly #transport: Transport;

  /** @internal */
  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Makes a passkey and registers it for the user, by id or e-mail address. */
  async create(user: string, wanted: PasskeyOptions = {}): Promise<SoftwarePasskey> {
    checkOptions('passkeys.create', wanted, CREATE);
    const { algorithm, displayName: display_name, rpId: rp_id, ...options } = wanted;
    const body = { user, algorithm, display_name, rp_id };
    return this.#transport.call('Control_CreatePasskey', { body }, options);
  }

  /**
   * Answers a challenge of `registration:begin` or `authentication:begin`. Send the `body` of the answer to the
   * operation that finishes.
   */
  async sign(challenge: string, wanted: SignOptions = {}): Promise<PasskeyAnswer> {
    checkOptions('passkeys.sign', wanted, SIGN);
    const { credentialId: credential_id, origin, userVerified, signCount: sign_count, ...options } = wanted;
    const body = { challenge, credential_id, origin, user_verified: userVerified, sign_count };
    return this.#transport.call('Control_SignPasskeyChallenge', { body }, options);
  }

  /** The passkeys of the authenticator, oldest first. */
  async list(options?: CallOptions): Promise<SoftwarePasskey[]> {
    return (await this.#transport.call('Control_ListPasskeys', {}, options)).passkeys;
  }
}

const CREATE: NamesOf<PasskeyOptions> = { ...CALL, algorithm: true, displayName: true, rpId: true };
const SIGN: NamesOf<SignOptions> = {
  ...CALL,
  credentialId: true,
  origin: true,
  userVerified: true,
  signCount: true,
};
