const SCRIPTS: ReadonlySet<string> = new Set(['javascript:', 'data:', 'vbscript:']);

const protocolOf = (address: string) => (URL.canParse(address) ? new URL(address).protocol : '');

/** Whether a browser that goes there runs or shows what the address itself holds. */
export const isScript = (address: string): boolean => SCRIPTS.has(protocolOf(address));

export const isWebAddress = (address: string): boolean =>
  protocolOf(address) === 'http:' || protocolOf(address) === 'https:';
