import { alreadyExists } from '../../errors.ts';
import type { World } from '../../world/world.ts';

/** Unverified: connected accounts name a connection by its key, so a second one of that key is a conflict. */
export function refuseTakenKey(world: World, key: string, ownId?: string): void {
  const taken = world.connections.findBy('key_id', key);
  if (taken && taken.id !== ownId) throw alreadyExists(`connection with key_id ${key} exists already`);
}

/** The service's key in lower case, and eight characters. Connector names hold letters, digits, `_`, `:` and `-`. */
export function freeKey(world: World, providerKey: string): string {
  const name = providerKey
    .toLowerCase()
    .replace(/[^a-z0-9_:]+/g, '-')
    .slice(0, 100);
  for (;;) {
    const key = `${name}-${world.draw.text(8)}`;
    if (!world.connections.findBy('key_id', key)) return key;
  }
}
