import { checkOptions, type NamesOf } from './options.ts';
import type { Transport } from './transport.ts';
import type { AccountAuthorization, AuthorizedAccount, CallOptions } from './types.ts';

/** What the end users of connected accounts do. */
export class ConnectedAccountControl {
  readonly #transport: Transport;

  /** @internal */
  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * What the end user would do on the pages of the third party: gives access unless it is told otherwise. Where the
   * application confirms users, `redirect` is where the browser would go to; `user_verify.confirm` does it at once.
   */
  async authorize(
    id: string,
    wanted: AccountAuthorization = {},
    options?: CallOptions,
  ): Promise<AuthorizedAccount> {
    checkOptions('connectedAccounts.authorize', wanted, AUTHORIZATION);
    return this.#transport.call('Control_AuthorizeAccount', { path: { id }, body: wanted }, options);
  }
}

const AUTHORIZATION: NamesOf<AccountAuthorization> = {
  outcome: true,
  error: true,
  credentials: true,
  user_verify: true,
};
