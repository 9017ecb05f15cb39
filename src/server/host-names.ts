import { isIP } from 'node:net';
import { ConfigError } from '../config.ts';

/** A host name must not end in a number, because it would then be an address. */
const NAME = /^(?!(.*\.)?\d+$)(\*\.)?[a-z0-9_-]+(\.[a-z0-9_-]+)*$/i;
const LOOPBACK = /^(?:localhost|.+\.localhost|127(?:\.\d+){3}|::1)$/;

/** The host of a `Host` header or of an authority: lower case, without port, brackets and last dot. */
export function hostNameOf(authority: string): string {
  const [, bracketed, plain = authority] = /^(?:\[([^\]]*)\]|([^:]*))(?::\d*)?$/.exec(authority) ?? [];
  return (bracketed ?? plain).toLowerCase().replace(/\.$/, '');
}

/** The server's own hosts: this machine and the names given at the start. No answer of a DNS server adds one. */
export class OwnHosts {
  readonly #names: ReadonlySet<string>;
  readonly #endings: readonly string[];

  /** Names and addresses. `*.app.example` covers every name below `app.example`. */
  constructor(hosts: readonly string[]) {
    const names = hosts.map(hostNameOf);
    this.#names = new Set(names.filter((name) => !name.startsWith('*.')));
    this.#endings = names.filter((name) => name.startsWith('*.')).map((name) => name.slice(1));
  }

  has(name: string): boolean {
    return (
      LOOPBACK.test(name) || this.#names.has(name) || this.#endings.some((ending) => name.endsWith(ending))
    );
  }
}

/** Whether somebody else can own the name and point it at this server. False for addresses and for names of local networks. */
export const isPublicName = (name: string): boolean => name.includes('.') && isIP(name) === 0;

/** Throws ConfigError if a name is not a host name. */
export function readAllowedHosts(hosts: readonly string[]): readonly string[] {
  for (const host of hosts)
    if (!NAME.test(host) && isIP(host) === 0)
      throw new ConfigError(
        `--allow-host: ${host} is not a host: it must be a name (understudy, app.example, *.app.example) or an address, without a port`,
      );
  return hosts;
}

/** Returns the origins as browsers write them. Throws ConfigError for anything else. */
export function readOrigins(origins: readonly string[]): readonly string[] {
  return origins.map((text) => {
    const url = URL.canParse(text) ? new URL(text) : undefined;
    const isWeb = url?.protocol === 'http:' || url?.protocol === 'https:';
    if (url && isWeb && `${url.origin}/` === url.href) return url.origin;
    throw new ConfigError(
      `--control-origin: ${text} is not an origin: it must be a scheme, a host and a port if it has one, such as http://localhost:3000`,
    );
  });
}
