import { notFound } from '../errors.ts';
import type { Env } from '../state/env.ts';
import type { Operations } from './handler.ts';

/** Unverified (environments/visible-environments): a client's token gives access to its own environment alone. */
export const environments = {
  EnvironmentService_ListEnvironment({ query }, env) {
    const isFirst = Number(query.page_token || 1) <= 1;
    return { next_page_token: '', total_size: 1, environments: isFirst ? [viewEnvironment(env)] : [] };
  },

  EnvironmentService_GetEnvironment({ path }, env) {
    const environment = viewEnvironment(env);
    if (path.id !== environment.id) throw notFound('environment', path.id);
    return { environment };
  },
} satisfies Partial<Operations>;

function viewEnvironment(env: Env) {
  const { environment_id, environment } = env.settings.get('settings');
  // Unverified (environments/creation-time): an environment is as old as its first client.
  const { create_time } = env.clients.findBy('client_type', 'ENV') ?? {};
  return {
    id: environment_id,
    ...(create_time && { create_time, update_time: create_time }),
    display_name: env.environment,
    domain: new URL(env.baseUrl).host,
    region_code: 'US' as const,
    type: 'DEV' as const,
    // Unverified (environments/custom-domain-status): what an environment without a custom domain has.
    custom_domain_status: 'INITIAL' as const,
    ...environment,
  };
}

/** Unverified (requests/dummy-call): what the service answers. */
export const dummy = {
  Dummy_DummyService: () => ({ error_code: '' }),
} satisfies Partial<Operations>;
