import type { components } from '../../contract/openapi.gen.ts';
import type { Input } from '../../contract/types.ts';
import { ApiError, invalidArgument } from '../../contract/errors.ts';
import type { Rows } from '../../state/env.ts';
import type { Env } from '../../state/env.ts';
import type { Operations } from '../handler.ts';
import { refuseOtherOrganizations } from '../lists.ts';

type Policy = NonNullable<Rows['organizations']['session_policy']>;
type PolicyUpdate = Input<'OrganizationService_UpdateOrganizationSessionPolicy'>['body'];
type TimeUnit = NonNullable<PolicyUpdate['absolute_session_timeout_unit']>;

const MINUTES: Record<TimeUnit, number> = {
  SESSION_TIME_UNIT_UNSPECIFIED: 1,
  MINUTES: 1,
  HOURS: 60,
  DAYS: 1440,
};
const LONGEST_SESSION = 365 * MINUTES.DAYS;
const LONGEST_IDLE = 7 * MINUTES.DAYS;

export const sessionPolicies = {
  OrganizationService_GetOrganizationSessionPolicy({ path }, env) {
    refuseOtherOrganizations(env, path.organization_id);
    return { policy: viewPolicy(env.organizations.get(path.organization_id).session_policy) };
  },

  OrganizationService_UpdateOrganizationSessionPolicy({ path, body }, env) {
    const { id } = env.organizations.get(path.organization_id);
    const session_policy = requestedPolicy(env, body);
    env.organizations.update(id, { session_policy });
    return { policy: viewPolicy(session_policy) };
  },

  OrganizationService_GetApplicationSessionPolicy({ path }, env) {
    const { id, settings } = env.organizations.get(path.organization_id);
    const feature = settings?.features.find(({ name }) => name === 'session_policy');
    // Unverified (organizations/session-policy-feature): the feature counts as enabled unless it is switched off,
    // because SDKs set policies without enabling it.
    if (!feature) env.decidedBy('organizations/session-policy-feature');
    if (feature?.enabled === false)
      throw new ApiError('permission_denied', `session_policy is switched off for organization ${id}`);
    const application = env.settings.get('settings');
    return {
      application_policy: {
        absolute_session_timeout: application.absolute_session_timeout,
        idle_session_timeout_enabled: application.idle_session_timeout_enabled,
        idle_session_timeout: application.idle_session_timeout_enabled ? application.idle_session_timeout : 0,
        access_token_expiry: application.access_token_expiry,
        absolute_session_timeout_unit: 'MINUTES',
        idle_session_timeout_unit: 'MINUTES',
      },
    };
  },
} satisfies Partial<Operations>;

function viewPolicy(policy: Policy | undefined): components['schemas']['OrganizationSessionPolicy'] {
  if (!policy) return { policy_source: 'APPLICATION' };
  const { absolute_session_timeout, idle_session_timeout_enabled, idle_session_timeout } = policy;
  return {
    policy_source: 'CUSTOM',
    absolute_session_timeout,
    absolute_session_timeout_unit: 'MINUTES',
    idle_session_timeout_enabled,
    ...(idle_session_timeout !== undefined && { idle_session_timeout, idle_session_timeout_unit: 'MINUTES' }),
  };
}

/** undefined: the organization returns to the application's policy. */
function requestedPolicy(env: Env, wanted: PolicyUpdate): Policy | undefined {
  const { policy_source, idle_session_timeout_enabled = false } = wanted;
  if (policy_source === 'APPLICATION') return undefined;
  if (policy_source !== 'CUSTOM') throw invalidArgument('policy_source must be APPLICATION or CUSTOM');
  const absolute = minutes(wanted, 'absolute_session_timeout', LONGEST_SESSION);
  const idle = idle_session_timeout_enabled && minutes(wanted, 'idle_session_timeout', LONGEST_IDLE);
  refuseDisorder(env, absolute, idle || undefined);
  return {
    absolute_session_timeout: absolute,
    idle_session_timeout_enabled,
    ...(idle && { idle_session_timeout: idle }),
  };
}

/** Unverified (organizations/session-policy-bounds): the bounds are those of the application's settings. */
function minutes(
  wanted: PolicyUpdate,
  name: 'absolute_session_timeout' | 'idle_session_timeout',
  most: number,
): number {
  const value = wanted[name];
  if (value === undefined) throw invalidArgument(`${name} is required`);
  const total = value * MINUTES[wanted[`${name}_unit`] ?? 'MINUTES'];
  if (total >= 1 && total <= most) return total;
  throw invalidArgument(`${name} must be between 1 and ${most} minutes`).decidedBy(
    'organizations/session-policy-bounds',
  );
}

/** Access tokens must be shorter than the idle time, and the idle time shorter than the session. */
function refuseDisorder(env: Env, absolute: number, idle: number | undefined): void {
  const token = env.settings.get('settings').access_token_expiry;
  if (idle !== undefined && idle >= absolute)
    throw invalidArgument('idle_session_timeout must be shorter than absolute_session_timeout');
  if ((idle ?? absolute) > token) return;
  const name = idle === undefined ? 'absolute_session_timeout' : 'idle_session_timeout';
  throw invalidArgument(
    `${name} must be longer than the ${token} minutes of the application's access tokens`,
  );
}
