import type { ProviderCall, ProviderCallKind } from '../state/provider-call.ts';
import type { AllowedHosts } from '../webhooks/allowed-hosts.ts';

interface CallLimits {
  /** Real milliseconds. The SDKs wait for 30 s. */
  timeout: number;
  /** Bytes of the answer that are read at most. */
  maxBytes: number;
  /** The hosts that may be called, from those of `--webhook-allow`. */
  hosts: (allowed: AllowedHosts) => AllowedHosts;
}

const asConfigured = (allowed: AllowedHosts) => allowed;
const orLoopback = (allowed: AllowedHosts) => allowed.orLoopback();
/** Anybody can name the address of a client's document, so not every host may be called by default. */
const elseLoopback = (allowed: AllowedHosts) => allowed.elseLoopback();

export const LIMITS: Readonly<Record<ProviderCallKind, CallLimits>> = {
  proxy: { timeout: 25_000, maxBytes: 10_000_000, hosts: asConfigured },
  mcp_call: { timeout: 25_000, maxBytes: 10_000_000, hosts: orLoopback },
  mcp_list: { timeout: 10_000, maxBytes: 10_000_000, hosts: orLoopback },
  client_document: { timeout: 10_000, maxBytes: 65_536, hosts: elseLoopback },
  issuer_keys: { timeout: 10_000, maxBytes: 65_536, hosts: asConfigured },
  saml_metadata: { timeout: 10_000, maxBytes: 262_144, hosts: orLoopback },
};

export const isMcp = ({ kind }: ProviderCall) => kind === 'mcp_list' || kind === 'mcp_call';

/** The address and whose it is, for messages. */
export const placeOf = ({ kind, url, provider }: ProviderCall) => {
  if (kind === 'client_document' || kind === 'saml_metadata') return url;
  return kind === 'issuer_keys'
    ? `${url}, with the keys of ${provider},`
    : `${url}, which plays ${provider},`;
};
