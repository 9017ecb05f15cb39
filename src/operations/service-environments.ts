import { notFound } from '../contract/errors.ts';
import type { Env } from '../state/env.ts';
import type { Operations } from './handler.ts';
import { STATIC_CODE } from './passwordless/passwordless.ts';

/** Unverified (environments/visible-environments): a client's token gives access to its own environment alone. */
export const environments = {
  EnvironmentService_ListEnvironment({ query }, env) {
    env.decidedBy('environments/visible-environments');
    const isFirst = Number(query.page_token || 1) <= 1;
    return { next_page_token: '', total_size: 1, environments: isFirst ? [viewEnvironment(env)] : [] };
  },

  EnvironmentService_GetEnvironment({ path }, env) {
    refuseOther(env, path.id);
    return { environment: viewEnvironment(env) };
  },

  EnvironmentService_GetEnvironmentTestUser({ path }, env) {
    refuseOther(env, path.id);
    return { test_user: viewTestUser(env) };
  },

  /** Unverified (environments/test-users-merged): an absent member stays, so an empty list over gRPC changes nothing. */
  EnvironmentService_UpdateEnvironmentTestUser({ path, body }, env) {
    refuseOther(env, path.id);
    env.decidedBy('environments/test-users-merged');
    const { enabled, static_confirmation_code: code, emails } = { ...viewTestUser(env), ...body.test_user };
    const addresses = [...new Set(emails.map((email) => email.toLowerCase()))];
    env.settings.update('settings', { test_users: { enabled, code, emails: addresses } });
    return { environment_id: path.id, test_user: viewTestUser(env) };
  },
} satisfies Partial<Operations>;

/** A token gives access to its own environment alone. */
function refuseOther(env: Env, id: string): void {
  if (id !== env.settings.get('settings').environment_id)
    throw notFound('environment', id).decidedBy('environments/visible-environments');
}

function viewTestUser(env: Env) {
  const { test_users } = env.settings.get('settings');
  // Unverified (environments/test-users-off): an environment without a list has them switched off.
  if (!test_users) env.decidedBy('environments/test-users-off');
  const { enabled = test_users !== undefined, emails = [], code = STATIC_CODE } = test_users ?? {};
  return { enabled, static_confirmation_code: code, emails };
}

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
