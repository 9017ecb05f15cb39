const SCRIPTS: ReadonlySet<string> = new Set(['javascript:', 'data:', 'vbscript:']);

const protocolOf = (address: string) => (URL.canParse(address) ? new URL(address).protocol : '');

/** Whether a browser would run or show the content of the address itself. */
export const isScript = (address: string): boolean => SCRIPTS.has(protocolOf(address));

export const isWebAddress = (address: string): boolean =>
  protocolOf(address) === 'http:' || protocolOf(address) === 'https:';

/** Why an address is not a redirect target. It may contain `*` or placeholders, so it need not be a valid URL. */
export function flawOfRedirect(address: string): string | undefined {
  const scheme = /^[a-z][a-z\d+.-]*:/i.exec(address)?.[0];
  if (!scheme) return 'value must be an absolute address such as https://app.example.com/callback';
  if (isScript(scheme))
    return `value must not be a ${scheme} address: use https:, http: or a scheme of the application's own`;
  if (HALF_LABEL.test(address)) return 'value must not have a placeholder that is only a part of a label';
  return hasControls(address) ? NO_CONTROLS : undefined;
}

/** A placeholder that does not fill a whole label of the host (Scalekit docs, Organization-specific redirect URLs). */
const HALF_LABEL = /^https?:\/\/[^/?#]*(?:[^./?#]\{\{|\}\}[^.:/?#])/i;

/** Why an address is not a valid page or service address. */
export function flawOfPage(address: string): string | undefined {
  if (hasControls(address)) return NO_CONTROLS;
  return isWebAddress(address) ? undefined : 'value must be an http or https address';
}

const NO_CONTROLS = 'value must not have line breaks or other control characters';

// oxlint-disable-next-line no-control-regex
const hasControls = (address: string) => /[\0-\x1f\x7f]/.test(address);

/** The address of a database, for messages. */
export function withoutPassword(text: string): string {
  if (!URL.canParse(text)) return 'postgres://…';
  const { protocol, username, host, pathname } = new URL(text);
  return `${protocol}//${username && `${username}@`}${host}${pathname}`;
}

/** The text without its percent-encoding; undefined if the encoding is broken. */
export function percentDecoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
