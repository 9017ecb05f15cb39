import { rowNamed } from '../contract/cause.ts';
import type { Env, Rows } from '../state/env.ts';
import { page } from '../rows/page.ts';
import { failedPrecondition, notFound } from '../contract/errors.ts';
import { taken } from './conflicts.ts';
import type { Operations } from './handler.ts';
import { listing } from './lists.ts';

export const providers = {
  ProviderService_ListProviders({ query }, env) {
    const { identifier } = query;
    // A missing type means the built-in providers (descriptors of the Python SDK). Unverified (providers/identifier-in-list):
    // a search by name covers all.
    if (identifier && !query['filter.provider_type']) env.decidedBy('providers/identifier-in-list');
    const type = query['filter.provider_type'] ?? (identifier ? 'ALL' : 'DEFAULT');
    const { rows, ...rest } = page(env.providers, {
      ...listing(query, env),
      order: 'oldest',
      by: type === 'ALL' ? undefined : ['type', type],
      where: identifier ? ({ id }) => id === identifier : undefined,
    });
    return { ...rest, providers: rows.map(viewProvider) };
  },

  /** Unverified (providers/own-providers): these are the environment's custom providers. */
  ProviderService_ListMyProviders({ query }, env) {
    env.decidedBy('providers/own-providers');
    const { rows, ...rest } = page(env.providers, {
      ...listing(query, env),
      order: 'oldest',
      by: ['type', 'CUSTOM'],
    });
    return { ...rest, providers: rows.map(viewProvider) };
  },

  ProviderService_CreateProvider({ body }, env) {
    const { identifier, auth_patterns, ...given } = body;
    const by = env.providers.find(identifier);
    if (by) throw taken(env, 'provider', { key: identifier, by }, 'providers');
    const row = {
      ...given,
      ...authorizationFields(auth_patterns),
      id: identifier,
      provider_id: env.draw.id('prv'),
    };
    return { provider: viewProvider(env.providers.insert(row)) };
  },

  ProviderService_CreateCustomProvider({ body }, env) {
    const { auth_patterns, ...given } = body;
    const provider_id = env.draw.id('prv');
    const id = `${body.display_name.replaceAll(' ', '').toUpperCase()}:${provider_id.slice('prv_'.length)}`;
    const row = { ...given, ...authorizationFields(auth_patterns), id, provider_id, is_custom: true };
    return { provider: viewProvider(env.providers.insert(row)) };
  },

  ProviderService_UpdateProvider({ path, body }, env) {
    return { provider: changeProvider(env, env.providers.get(path.identifier), body) };
  },

  ProviderService_UpdateCustomProvider({ path, body }, env) {
    return { provider: changeProvider(env, customProvider(env, path.identifier), body) };
  },

  ProviderService_DeleteProvider({ path }, env) {
    return removeProvider(env, env.providers.get(path.identifier));
  },

  ProviderService_DeleteCustomProvider({ path }, env) {
    return removeProvider(env, customProvider(env, path.identifier));
  },
} satisfies Partial<Operations>;

/** Operations on custom providers do not find the built-in ones. */
function customProvider(env: Env, identifier: string): Provider {
  const provider = env.providers.find(identifier);
  if (!provider?.is_custom) throw notFound('custom provider', identifier);
  return provider;
}

/** Missing fields stay, and metadata is replaced as a whole (the vendor's OpenAPI document). */
function changeProvider(env: Env, { id }: Provider, given: Partial<Omit<Provider, 'id'>>) {
  const { auth_patterns, ...rest } = given;
  return viewProvider(
    env.providers.update(id, { ...rest, ...(auth_patterns && authorizationFields(auth_patterns)) }),
  );
}

function removeProvider(env: Env, { id }: Provider): Record<string, never> {
  const users = env.connections.list('provider_key', id);
  if (users.length > 0)
    throw failedPrecondition(`provider ${id} is in use by ${users.length} connection(s)`, {
      rows: users.slice(0, MOST_ROWS).map((connection) => rowNamed('connections', connection)),
      leads: ['ConnectionService_DeleteEnvironmentConnection'],
    });
  env.remove('providers', id);
  return {};
}

/** The most connections that a refusal names. */
const MOST_ROWS = 5;

type Provider = Rows['providers'];
type Pattern = Provider['auth_patterns'][number];

/** Without internal fields; missing fields are empty. */
function viewProvider(row: Provider) {
  const { id, provider_id, api_config_keys: _, scopes: __, mcp: ___, records: ____, ...shown } = row;
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

/** The stored patterns and the fields that follow from them. */
const authorizationFields = (patterns: readonly Pattern[]) => ({
  auth_patterns: patterns.map(completePattern),
  mcp: isMcp({ auth_patterns: patterns }),
});

/** Every pattern has a list of fields; OAuth uses PKCE unless the pattern says otherwise. */
function completePattern(pattern: Pattern): Pattern {
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
