import type { Config } from '../start/config.ts';
import type { Log } from '@understudy/text/log';
import { readProviderAddresses } from '../webhooks/allowed-hosts.ts';
import { DEFAULT_ENVIRONMENT } from '../state/environment-names.ts';
import type { Environments } from './environments.ts';

/**
 * Warns of a user in `--auto-login` and of providers in `--proxy-to` that `default` does not have. They may be created
 * later, but a typing error is more likely.
 */
export async function warnOfUnknownNames(
  { autoLogin, proxyTo }: Config,
  environments: Environments,
  { warn }: Log,
): Promise<void> {
  if (autoLogin === undefined && proxyTo.length === 0) return;
  const { suggestAmong } = await import('@understudy/text/suggestion');
  const { users, providers } = environments.get(DEFAULT_ENVIRONMENT).tables;
  if (autoLogin !== undefined && !users.findBy('email', autoLogin.toLowerCase())) {
    const known = users.list().map(({ email }) => email);
    warn(`--auto-login: no user has the address ${autoLogin} yet${suggestAmong(autoLogin, known)}`);
  }
  const known = providers.list().map(({ id }) => id.toLowerCase());
  for (const name of Object.keys(readProviderAddresses(proxyTo)))
    if (!known.includes(name))
      warn(`--proxy-to: there is no provider ${name} yet${suggestAmong(name, known)}`);
}
