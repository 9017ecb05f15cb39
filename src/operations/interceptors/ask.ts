import type { Cause } from '../../contract/cause.ts';
import type { InterceptorCall, InterceptorEffects, Trigger } from '../../contract/types.ts';
import type { Env, Rows } from '../../state/env.ts';
import type { InterceptorInvocation } from '../../state/interceptor-invocation.ts';
import { ApiError } from '../../contract/errors.ts';
import { fullName } from '@understudy/text/words';
import { connectionOfAddress, type SignInUser } from '../sign-in/proving-connection.ts';
import { deviceOf } from '../sign-in/device.ts';

type Effects<T extends Trigger> = Partial<InterceptorEffects<T>>;

/** The subject of one interceptor call; `askInterceptors` adds when and where it happens. */
export interface InterceptorSubject<T extends Trigger> {
  context: Omit<InterceptorCall<T>['interceptor_context'], 'environment_id' | 'triggered_at'>;
  data: InterceptorCall<T>['data'];
  /**
   * Returns why the interceptor's effects are impossible, if they are. That counts as a failure of the
   * interceptor.
   */
  flawOf?: (effects: Effects<T>) => string | undefined;
}

/** An interceptor answered DENY. Handlers may catch it to record the denial. */
const INTERCEPTOR: Cause = { kind: 'interceptor' };

export class InterceptorDenial extends ApiError {
  readonly interceptor_id: string;

  constructor(interceptor_id: string, message: string) {
    // Unverified (interceptors/denied-call): the docs do not say with which error a denied call fails.
    super('permission_denied', message, { why: INTERCEPTOR });
    this.decidedBy('interceptors/denied-call');
    this.interceptor_id = interceptor_id;
  }
}

/**
 * Asks the enabled interceptors of a trigger point, oldest first, until one denies. Merges their effects; the
 * later one wins. The subject is only built if there is an interceptor to ask.
 */
export function askInterceptors<T extends Trigger>(
  env: Env,
  trigger_point: T,
  describe: () => InterceptorSubject<T>,
): Effects<T> {
  let effects: Effects<T> = {};
  // Unverified (interceptors/several-interceptors): the docs say neither in which order interceptors are asked nor that
  // there may be several.
  const asked = env.interceptors.list('trigger_point', trigger_point).filter(({ enabled }) => enabled);
  if (asked.length > 1) env.decidedBy('interceptors/several-interceptors');
  for (const interceptor of asked) {
    const { display_name } = interceptor;
    const { context, data, flawOf: findFlaw } = describe();
    const interceptor_context = {
      environment_id: env.settings.get('settings').environment_id,
      ...context,
      triggered_at: env.clock.iso(),
    };
    const body = { display_name, trigger_point, interceptor_context, data };
    const { decision, message, response } = env.ask({
      interceptor,
      body,
      findFlaw: findFlaw as InterceptorInvocation['findFlaw'],
    });
    env.interceptors.update(interceptor.id, { last_executed_at: env.clock.iso() });
    if (decision === 'DENY') throw new InterceptorDenial(interceptor.id, message || denialMessage(env));
    effects = mergeEffects(effects, response as Effects<T> | undefined);
  }
  return effects;
}

/** The message if an interceptor denies without one or fails (Scalekit docs, Auth flow interceptors). */
function denialMessage(env: Env): string {
  const { support_email } = env.settings.get('settings');
  const whom = support_email ?? 'support';
  return `This request could not be completed because a policy does not allow it. Please contact ${whom}.`;
}

type Claims = Readonly<Record<string, unknown>> & { custom_claims?: object };

function mergeEffects<T extends Trigger>(before: Effects<T>, added: Effects<T> = {}): Effects<T> {
  const [claims, more] = [before, added].map((each) => (each as { claims?: Claims | null }).claims ?? {});
  const custom_claims = { ...claims!.custom_claims, ...more!.custom_claims };
  const hasCustom = Object.keys(custom_claims).length > 0;
  return {
    ...before,
    ...added,
    claims: { ...claims, ...more, ...(hasCustom && { custom_claims }) },
  };
}

type User = Rows['users'];

/** The user as interceptors see it at every trigger point. */
export function userData({ id, email, user_profile }: User) {
  return { id, email, email_verified: user_profile.email_verified ?? false };
}

export const userTimes = ({ create_time: created_at, update_time: updated_at }: User) => ({
  created_at,
  updated_at,
});

export const userName = ({ user_profile }: User): string => fullName(user_profile);

export const membershipData = (env: Env, { id }: User) =>
  env.memberships
    .list('user_id', id)
    .map(({ organization_id, membership_status: status }) => ({ organization_id, status }));

type Connection = Rows['connections'];

const TYPES = ['OAUTH', 'SAML', 'OIDC', 'PASSWORDLESS'] as const;

/**
 * How the user proved their identity. Unverified (interceptors/connection-without-sso): without a connection, the one to
 * which the user's address leads is named, as in tokens.
 */
export function connectionDetails(env: Env, ids: readonly string[], user: SignInUser) {
  const known = ids.flatMap((id) => env.connections.find(id) ?? []);
  if (ids.length > 0) return known.flatMap(detailsOf);
  const own = connectionOfAddress(env, user);
  if (own) env.decidedBy('interceptors/connection-without-sso');
  return own ? detailsOf(own) : [];
}

function detailsOf({ id, type: connectionType, provider }: Connection) {
  const type = TYPES.find((each) => each === connectionType);
  return type ? [{ id, type, provider }] : [];
}

/** The device and its location, as far as they are known. */
export function deviceData({ user_agent = '', ip, location }: NonNullable<Rows['sessions']['device']> = {}) {
  const { region, city } = location ?? {};
  return {
    user_agent,
    device_type: deviceType(user_agent),
    ...(ip && { ip_address: ip }),
    ...(region && { region }),
    ...(city && { city }),
  };
}

const NAMES = { desktop: 'Desktop', mobile: 'Mobile', tablet: 'Tablet' } as const;

export function deviceType(userAgent: string) {
  const { device_type } = deviceOf(userAgent, '');
  return NAMES[device_type as keyof typeof NAMES] ?? 'Unknown';
}

/** Unverified (interceptors/place-of-claims): claims under `custom_claims` and claims beside it mean the same. */
export function mergeCustomClaims(
  claims: Readonly<Record<string, unknown>> & { custom_claims?: object } = {},
) {
  const { custom_claims, ...own } = claims;
  return { ...custom_claims, ...own };
}
