import { CALL, checkOptions, type NamesOf, type Transport } from './transport.ts';
import type { CallOptions, TotpAuthenticator } from './types.ts';

export interface TotpOptions extends CallOptions {
  /** Seconds that the clock of the app is ahead, negative if it is behind. */
  drift?: number | undefined;
}

/** The authenticator app of one user, without a telephone. */
export class TotpControl {
  readonly #transport: Transport;
  readonly #user: string;

  /** @internal */
  constructor(transport: Transport, user: string) {
    this.#transport = transport;
    this.#user = user;
  }

  /** Registers and enables an app for the user, who needs its code at the next sign-in. */
  enrol(options?: CallOptions): Promise<TotpAuthenticator> {
    return this.#transport.call('Control_EnrolTotp', { body: { user: this.#user } }, options);
  }

  /** The app: its secret, its code, and the unused backup codes. */
  get(wanted: TotpOptions = {}): Promise<TotpAuthenticator> {
    checkOptions('totp.get', wanted, GET);
    const { drift, ...options } = wanted;
    return this.#transport.call('Control_GetTotp', { query: { user: this.#user, drift } }, options);
  }

  /** The code that the app shows by the clock of the environment; the next one if the service has used that up. */
  async code(wanted: TotpOptions = {}): Promise<string> {
    return (await this.get(wanted)).code;
  }
}

const GET: NamesOf<TotpOptions> = { ...CALL, drift: true };
