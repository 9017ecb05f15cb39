import type { Rows } from '../../world/schema.ts';
import type { World } from '../../world/world.ts';
import { scopeOf } from '../../world/tables/connections.ts';

type Connection = Rows['connections'];

/** The social providers, by the names that applications ask for them with (reference: login-and-tokens 4.1). */
export const SOCIAL_PROVIDERS = {
  google: { provider: 'GOOGLE', name: 'Google' },
  microsoft: { provider: 'MICROSOFT', name: 'Microsoft' },
  github: { provider: 'GITHUB', name: 'GitHub' },
  gitlab: { provider: 'GITLAB', name: 'GitLab' },
  linkedin: { provider: 'LINKEDIN', name: 'LinkedIn' },
  salesforce: { provider: 'SALESFORCE', name: 'Salesforce' },
} as const;

/**
 * The environment's connection to a social provider; undefined for a provider that nobody knows. The service has Google
 * ready in new environments, here all are: one that was never set up comes into being when it is first used.
 */
export function socialConnection(world: World, name: string): Connection | undefined {
  const key = name.toLowerCase();
  const known = Object.entries(SOCIAL_PROVIDERS).find(([each]) => each === key)?.[1];
  if (!known) return undefined;
  const { provider } = known;
  return (
    world.connections.list('scope', 'login').find((each) => each.provider === provider) ??
    world.connections.insert(newConnection(world, known))
  );
}

type Known = (typeof SOCIAL_PROVIDERS)[keyof typeof SOCIAL_PROVIDERS];

function newConnection(world: World, { provider, name }: Known): Connection {
  const now = world.clock.iso();
  return {
    id: world.draw.id('conn'),
    provider,
    provider_key: provider,
    type: 'OAUTH',
    status: 'COMPLETED',
    enabled: true,
    is_login: true,
    is_app: false,
    ui_button_title: `Continue with ${name}`,
    created_at: now,
    updated_at: now,
  };
}

/** Users prove who they are there without belonging to an organization. */
export const isSocial = (connection: Connection) =>
  connection.type === 'OAUTH' && scopeOf(connection) === 'login';
