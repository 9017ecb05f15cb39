import { lookup as lookUp } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { isWebAddress } from '@understudy/text/addresses';
import { ConfigError, type Config } from '../start/config.ts';
import type { Contract } from '../contract/contract.ts';

/** The request must not be sent, now or later. */
export class HostRefused extends Error {}

/** What one pattern allows. */
interface HostRule {
  /** Undefined: any port. */
  port: string | undefined;
  /** True for host names that are allowed at any address. */
  names: (host: string) => boolean;
  /** True for addresses that are allowed; absent for patterns of names. */
  includes?: (address: string) => boolean;
}

/** As patterns, and as ranges. */
const THIS_MACHINE = ['localhost', '127.0.0.0/8', '[::1]'];
const LOOPBACK = ['127.0.0.0/8', '::1/128'];
const NO_NAME = () => false;

/** The hosts that may be called: all if there are no patterns. */
export class AllowedHosts {
  readonly #patterns: readonly string[];
  readonly #withLoopback: boolean;
  readonly #rules: readonly HostRule[];

  /**
   * Patterns: `app.example`, `*.app.example`, `10.1.2.3`, `10.0.0.0/8`, `[::1]`, `[fd00::/8]`, each with an optional
   * port such as `:8080`. Throws for an invalid pattern.
   */
  constructor(patterns: readonly string[] = [], withLoopback = false) {
    this.#patterns = patterns;
    this.#withLoopback = withLoopback;
    this.#rules = [...patterns, ...(withLoopback ? THIS_MACHINE : [])].map(readRule);
  }

  /** Allows the loopback addresses too, and nothing else if there are no patterns. */
  orLoopback(): AllowedHosts {
    return new AllowedHosts(this.#patterns, true);
  }

  /** Allows the loopback addresses alone if there are no patterns. */
  elseLoopback(): AllowedHosts {
    return this.#patterns.length > 0 ? this : this.orLoopback();
  }

  /** Throws `HostRefused`. A name that may resolve to an allowed address passes; `lookupFor` checks the address. */
  check(url: URL): void {
    if (this.#rules.length === 0 || this.#isNamed(url)) return;
    const host = hostOf(url);
    const rules = this.#rulesFor(url);
    const mayBe = rules.some(({ includes }) => includes && (isIP(host) === 0 || includes(host)));
    if (!mayBe) throw this.#refusal(url.host);
  }

  /** A DNS lookup that returns allowed addresses only. */
  lookupFor(url: URL): { lookup?: LookupFunction } {
    if (this.#rules.length === 0 || this.#isNamed(url)) return {};
    const rules = this.#rulesFor(url);
    return {
      lookup: (host, options, done) =>
        lookUp(host, { ...options, all: true }, (failure, found) => {
          if (failure) return done(failure, []);
          const good = found.filter(({ address }) => rules.some((rule) => rule.includes?.(address)));
          const addresses = found.map(({ address }) => address).join(', ');
          if (good.length === 0) return done(this.#refusal(`${url.host} (${addresses})`), []);
          if (options.all) done(null, good);
          else done(null, good[0]!.address, good[0]!.family);
        }),
    };
  }

  #isNamed(url: URL): boolean {
    const host = hostOf(url);
    return this.#rulesFor(url).some((rule) => rule.names(host));
  }

  #rulesFor(url: URL): HostRule[] {
    const port = url.port || (url.protocol === 'https:' ? '443' : '80');
    return this.#rules.filter((rule) => rule.port === undefined || rule.port === port);
  }

  #refusal(host: string): HostRefused {
    const place = this.#withLoopback ? 'is not on this machine, and ' : '';
    const flag = `--webhook-allow ${this.#patterns.join(' ')}`;
    const reason = this.#patterns.length > 0 ? `does not match ${flag}` : '--webhook-allow does not name it';
    return new HostRefused(`not called: ${host} ${place}${reason}`);
  }
}

const hostOf = ({ hostname }: URL) => hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');

function readRule(pattern: string): HostRule {
  const [, bracketed, bare, port] = /^(?:\[([^[\]]+)\]|([^[\]:]+))(?::(\d{1,5}))?$/.exec(pattern) ?? [];
  const host = (bracketed ?? bare)?.toLowerCase();
  const rule = host === undefined ? undefined : (rangeRule(host) ?? (bracketed ? undefined : nameRule(host)));
  if (rule && Number(port ?? 0) < 65_536) return { port, ...rule };
  throw new Error(
    `${pattern} is not a host: it must be a name (app.example, *.app.example), an address (10.1.2.3, [::1]) or a range ` +
      '(10.0.0.0/8, [fd00::/8]), with or without a port (app.example:8080)',
  );
}

function rangeRule(host: string): Omit<HostRule, 'port'> | undefined {
  const [address = '', bits, ...more] = host.split('/');
  const length = isIP(address) === 6 ? 128 : 32;
  if (isIP(address) === 0 || more.length > 0 || !isLength(bits ?? '0', length)) return undefined;
  return { names: NO_NAME, includes: within([`${address}/${bits ?? length}`]) };
}

const isLength = (bits: string, most: number) => /^\d{1,3}$/.test(bits) && Number(bits) <= most;

/** A name is allowed at any address. `localhost` also allows the loopback addresses. */
function nameRule(host: string): Omit<HostRule, 'port'> | undefined {
  if (!/^(\*\.)?[a-z0-9_-]+(\.[a-z0-9_-]+)*$/.test(host)) return undefined;
  const isAny = host.startsWith('*.');
  const names = isAny ? (name: string) => name.endsWith(host.slice(1)) : (name: string) => name === host;
  return { names, ...(host === 'localhost' && { includes: within(LOOPBACK) }) };
}

function within(ranges: readonly string[]): (address: string) => boolean {
  const list = new BlockList();
  for (const range of ranges) {
    const [network = '', bits] = range.split('/');
    list.addSubnet(network, Number(bits), isIP(network) === 6 ? 'ipv6' : 'ipv4');
  }
  return (address) => list.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
}

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
