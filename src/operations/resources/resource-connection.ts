import type { Env } from '../../environment/env.ts';
import type { Rows } from '../../environment/rows/schema.ts';
import type { Resource } from './resource-view.ts';

type Connection = Rows['connections'];

/** The connection with the customer's own login page; a new one has no address yet. */
export function ensureConnection(env: Env, resource: Resource): Connection {
  const known = resource.connection_id ? env.connections.find(resource.connection_id) : undefined;
  if (known) return known;
  const now = env.clock.iso();
  const connection = env.connections.insert({
    id: env.draw.id('conn'),
    key_id: `${resource.id}-login`,
    provider: 'CUSTOM',
    provider_key: 'CUSTOM',
    type: 'OIDC',
    is_login: true,
    status: 'DRAFT',
    enabled: false,
    ui_button_title: `Continue to ${resource.name}`,
    created_at: now,
    updated_at: now,
  });
  env.resources.update(resource.id, { connection_id: connection.id });
  return connection;
}

/** Users of the resource sign in on this page from now on (Scalekit docs, Bring your own authentication). */
export function sendToLoginPage(env: Env, resource: Resource, custom_login_uri: string): void {
  const { id } = ensureConnection(env, resource);
  const updated_at = env.clock.iso();
  env.connections.update(id, { custom_login_uri, status: 'COMPLETED', enabled: true, updated_at });
}
