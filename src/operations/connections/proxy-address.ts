import { isObject } from '@understudy/text/json';
import type { Env } from '../../state/env.ts';
import { refuseViolations } from '../refusals.ts';
import type { Connection } from './connection-lookup.ts';

const KEYS = ['domain', 'version'];
const HOST_NAME = /^([a-z0-9-]{1,63}\.)+[a-z]{2,63}$/i;

/**
 * The proxy address of an MCP provider with its placeholders filled, which are written `{{domain}}` (Scalekit docs, Create
 * your own connector). An address without placeholders is not shown (descriptors of the Python SDK). Unverified
 * (connections/open-placeholder): one with a placeholder that nothing fills is not shown either.
 */
export function resolvedProxy(
  env: Env,
  providerKey: string,
  given: unknown,
): Pick<Connection, 'resolved_proxy_url'> {
  const context = checkedContext(given);
  const provider = env.providers.find(providerKey);
  if (!provider?.mcp || !provider.proxy_url?.includes('{{')) return {};
  const url = provider.proxy_url.replaceAll(
    /\{\{\s*(\w+)\s*\}\}/g,
    (written, name: string) => context[name] ?? written,
  );
  if (!url.includes('{{')) return { resolved_proxy_url: url };
  env.decidedBy('connections/open-placeholder');
  return {};
}

/** Throws for other keys than the two, and for a domain that is no host name, such as a code of a region. */
function checkedContext(given: unknown): Readonly<Record<string, string>> {
  if (!isObject(given)) return {};
  const entries = Object.entries(given);
  refuseViolations(
    entries.flatMap(([key, value]) => {
      const field = `connection.context.${key.slice(0, 100)}`;
      if (!KEYS.includes(key))
        return {
          field,
          description: `context has the keys ${KEYS.join(' and ')}`,
          constraint: 'unknown_key',
        };
      if (typeof value !== 'string')
        return { field, description: 'value must be a string', constraint: 'string' };
      if (key === 'domain' && !HOST_NAME.test(value.slice(0, 300)))
        return { field, description: 'value must be a valid hostname', constraint: 'string.hostname' };
      return [];
    }),
  );
  return given as Record<string, string>;
}
