import { isWebAddress } from '../text/addresses.ts';

/**
 * Reads the values of `--proxy-to`, such as `github=http://localhost:4001`. The result has the addresses by the provider
 * in lower case. Throws for a value of another form.
 */
export function readProviderAddresses(given: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    given.map((each) => {
      const [, provider = '', address = ''] = /^([^=]+)=(.+)$/.exec(each.trim()) ?? [];
      if (!isWebAddress(address) || /[?#]/.test(address))
        throw new Error(
          `${each} must be a provider and an http or https address: github=http://localhost:4001`,
        );
      return [provider.trim().toLowerCase(), address.replace(/\/+$/, '')];
    }),
  );
}
