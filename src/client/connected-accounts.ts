import { checkOptions, type NamesOf } from './options.ts';
import type { Transport } from './transport.ts';
import type { AccountAuthorization, AuthorizedAccount, CallOptions } from './types.ts';

/** Simulates the end users of connected accounts. */
export class ConnectedAccountControl {
  readonly #transport: Transport;

  /** @internal */
  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Does what the end user would do on the third party's pages: grants access, or does what `authorization`
   * says. If the application confirms users, `redirect` is where the browser would go; `userVerify.confirm`
   * confirms at once.
   */
  async authorize(
    id: string,
    wanted: AccountAuthorization = {},
    options?: CallOptions,
  ): Promise<AuthorizedAccount> {
    checkOptions('connectedAccounts.authorize', wanted, AUTHORIZATION);
    const { userVerify: user_verify, ...rest } = wanted;
    const body = { ...rest, ...(user_verify && { user_verify }) };
    return this.#transport.call('Control_AuthorizeAccount', { path: { id }, body }, options);
  }
}

const AUTHORIZATION: NamesOf<AccountAuthorization> = {
  outcome: true,
  error: true,
  credentials: true,
  userVerify: true,
};
