import type { Rows } from '../../world/schema.ts';

export type Provider = Rows['providers'];
type Pattern = Provider['auth_patterns'][number];

/** What the service keeps to itself is not in it; what was never given is empty. */
export function viewProvider(row: Provider) {
  const { id, provider_id, api_config_keys: _, scopes: __, mcp: ___, ...shown } = row;
  const is_custom = row.is_custom ?? false;
  return {
    ...EMPTY,
    ...shown,
    id: provider_id,
    identifier: id,
    is_custom,
    is_custom_mcp: is_custom && isMcp(row),
  };
}

/** The patterns as they are kept, and what follows from them. */
export const authorizing = (patterns: readonly Pattern[]) => ({
  auth_patterns: patterns.map(complete),
  mcp: isMcp({ auth_patterns: patterns }),
});

/** Every pattern has a list of fields; OAuth is done with PKCE unless it is said otherwise. */
function complete(pattern: Pattern): Pattern {
  const { fields = [], oauth_config } = pattern as Pattern & { fields?: unknown; oauth_config?: object };
  const withFields = { ...pattern, fields };
  return pattern.type === 'OAUTH'
    ? { ...withFields, oauth_config: { pkce_enabled: true, ...oauth_config } }
    : withFields;
}

const isMcp = ({ auth_patterns }: { auth_patterns: readonly Pattern[] }) =>
  auth_patterns.some(({ is_mcp }) => is_mcp);

const EMPTY = {
  description: '',
  categories: [],
  icon_src: '',
  display_priority: 0,
  coming_soon: false,
  proxy_url: '',
  proxy_enabled: false,
  metadata: {},
};
