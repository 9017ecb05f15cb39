import type { World } from '../../world/world.ts';
import { scopeOf } from '../../world/tables/connections.ts';
import { knownProviderName } from '../identity-provider/provider-name.ts';
import type { Connection } from './connection-lookup.ts';

type Kind = Pick<
  Connection,
  'provider' | 'provider_key' | 'type' | 'organization_id' | 'is_login' | 'is_app'
>;

/** Unverified: the service documents the field and not its first value. It is what the hosted pages show. */
export function initialButtonTitle(world: World, kind: Kind): string {
  const scope = scopeOf(kind);
  if (scope === 'app') {
    return `Connect ${world.providers.find(kind.provider_key)?.display_name ?? knownProviderName(kind) ?? kind.provider_key}`;
  }
  if (kind.type === 'PASSWORDLESS') return 'Continue with e-mail';
  if (kind.type === 'WEBAUTHN') return 'Continue with a passkey';
  return `${scope === 'login' ? 'Continue' : 'Sign in'} with ${knownProviderName(kind) ?? 'SSO'}`;
}
