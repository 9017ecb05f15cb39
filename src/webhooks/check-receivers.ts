import { isWebAddress } from '../text/addresses.ts';
import { ConfigError, type Config } from '../config.ts';
import type { Contract } from '../contract/contract.ts';
import { readProviderAddresses, AllowedHosts } from './allowed-hosts.ts';

type Receivers = Pick<Config, 'webhooks' | 'webhookSecret' | 'webhookAllow' | 'proxyTo'>;

/** Throws ConfigError for addresses of webhooks and providers that cannot be called and for an invalid secret. */
export function checkReceivers(
  { webhooks, webhookSecret, webhookAllow, proxyTo }: Receivers,
  control: Contract,
): void {
  for (const url of webhooks)
    if (!isWebAddress(url))
      throw new ConfigError(
        `--webhook: ${url} is not an http or https address, such as http://localhost:3000/webhooks`,
      );
  if (control.checkSchema('SigningSecret', webhookSecret).length > 0)
    throw new ConfigError(
      `--webhook-secret: it must be ${control.schemaNamed('SigningSecret')?.['x-wanted']}`,
    );
  const allowed = attempt('--webhook-allow', () => new AllowedHosts(webhookAllow));
  for (const url of webhooks) attempt(`--webhook ${url}`, () => allowed.check(new URL(url)));
  for (const each of proxyTo)
    attempt('--proxy-to', () => {
      for (const url of Object.values(readProviderAddresses([each]))) allowed.check(new URL(url));
    });
}

function attempt<T>(flag: string, run: () => T): T {
  try {
    return run();
  } catch (thrown) {
    throw new ConfigError(`${flag}: ${(thrown as Error).message}`);
  }
}
