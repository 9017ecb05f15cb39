import { alreadyExists, failedPrecondition, notFound } from '../../errors.ts';
import { page } from '../../world/page.ts';
import type { World } from '../../world/world.ts';
import type { Operations } from '../handler.ts';
import { pageSize } from '../page-size.ts';
import { authorizing, viewProvider, type Provider } from './provider-view.ts';

export const providers = {
  ProviderService_ListProviders({ query }, world) {
    const { identifier, page_size, page_token: token } = query;
    // Unverified: without a type the built-in ones are meant, as the RPC's zero value says; a name may be anyone's.
    const type = query['filter.provider_type'] ?? (identifier ? 'ALL' : 'DEFAULT');
    const { rows, ...rest } = page(world.providers, {
      size: pageSize(page_size, world),
      token,
      order: 'oldest',
      by: type === 'ALL' ? undefined : ['type', type],
      where: identifier ? ({ id }) => id === identifier : undefined,
    });
    return { ...rest, providers: rows.map(viewProvider) };
  },

  ProviderService_CreateProvider({ body }, world) {
    const { identifier, auth_patterns, ...given } = body;
    if (world.providers.find(identifier)) throw alreadyExists(`provider ${identifier} exists already`);
    const row = {
      ...given,
      ...authorizing(auth_patterns),
      id: identifier,
      provider_id: world.draw.id('prv'),
    };
    return { provider: viewProvider(world.providers.insert(row)) };
  },

  ProviderService_CreateCustomProvider({ body }, world) {
    const { auth_patterns, ...given } = body;
    const provider_id = world.draw.id('prv');
    const id = `${body.display_name.replaceAll(' ', '').toUpperCase()}:${provider_id.slice('prv_'.length)}`;
    const row = { ...given, ...authorizing(auth_patterns), id, provider_id, is_custom: true };
    return { provider: viewProvider(world.providers.insert(row)) };
  },

  ProviderService_UpdateProvider({ path, body }, world) {
    return { provider: change(world, world.providers.get(path.identifier), body) };
  },

  ProviderService_UpdateCustomProvider({ path, body }, world) {
    return { provider: change(world, customProvider(world, path.identifier), body) };
  },

  ProviderService_DeleteProvider({ path }, world) {
    return remove(world, world.providers.get(path.identifier));
  },

  ProviderService_DeleteCustomProvider({ path }, world) {
    return remove(world, customProvider(world, path.identifier));
  },
} satisfies Partial<Operations>;

/** The built-in ones are not there for the operations on custom ones. */
function customProvider(world: World, identifier: string): Provider {
  const provider = world.providers.find(identifier);
  if (!provider?.is_custom) throw notFound('custom provider', identifier);
  return provider;
}

/** Unverified: what is not given stays; metadata is replaced as a whole. */
function change(world: World, { id }: Provider, given: Partial<Omit<Provider, 'id'>>) {
  const { auth_patterns, ...rest } = given;
  return viewProvider(
    world.providers.update(id, { ...rest, ...(auth_patterns && authorizing(auth_patterns)) }),
  );
}

function remove(world: World, { id }: Provider): Record<string, never> {
  const users = world.connections.count('provider_key', id);
  if (users > 0) {
    throw failedPrecondition(`provider ${id} is in use by ${users} connection(s)`);
  }
  world.remove('providers', id);
  return {};
}
