import type { InterceptorCall, InterceptorEffects, Trigger } from '../../contract/types.ts';
import { ApiError } from '../../errors.ts';
import type { InterceptorInvocation } from '../../environment/interceptor-invocation.ts';
import type { Env } from '../../environment/env.ts';

type Effects<T extends Trigger> = Partial<InterceptorEffects<T>>;

/** What there is to decide about; where and when is added here. */
export interface Matter<T extends Trigger> {
  context: Omit<InterceptorCall<T>['interceptor_context'], 'environment_id' | 'triggered_at'>;
  data: InterceptorCall<T>['data'];
  /** Why what an interceptor adds can not be done, if so: that is a failure of the interceptor. */
  flawOf?: (effects: Effects<T>) => string | undefined;
}

/** An interceptor has said no. Whoever catches it may write down that it happened. */
export class InterceptorDenial extends ApiError {
  readonly interceptor_id: string;

  constructor(interceptor_id: string, message: string) {
    // Unverified: the service does not say how a denied call fails.
    super('permission_denied', message);
    this.interceptor_id = interceptor_id;
  }
}

/**
 * Asks every interceptor of that trigger point that is on, the oldest first, until one says no. What they add is put
 * together; the later one wins. Nothing is described where nobody is asked.
 */
export function askInterceptors<T extends Trigger>(
  env: Env,
  trigger_point: T,
  describe: () => Matter<T>,
): Effects<T> {
  let effects: Effects<T> = {};
  // Unverified: the service documents neither the order nor that there may be several.
  for (const interceptor of env.interceptors.list('trigger_point', trigger_point)) {
    if (!interceptor.enabled) continue;
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
    if (decision === 'DENY') throw new InterceptorDenial(interceptor.id, message || refusal(env));
    effects = together(effects, response as Effects<T> | undefined);
  }
  return effects;
}

/** What the denied are told where the interceptor says nothing (reference: accounts-connections-events 6.3). */
function refusal(env: Env): string {
  const { support_email } = env.settings.get('settings');
  const whom = support_email ?? 'support';
  return `This request could not be completed because a policy does not allow it. Please contact ${whom}.`;
}

type Claims = Readonly<Record<string, unknown>> & { custom_claims?: object };

function together<T extends Trigger>(before: Effects<T>, added: Effects<T> = {}): Effects<T> {
  const [claims, more] = [before, added].map((each) => (each as { claims?: Claims | null }).claims ?? {});
  const custom_claims = { ...claims!.custom_claims, ...more!.custom_claims };
  const hasCustom = Object.keys(custom_claims).length > 0;
  return {
    ...before,
    ...added,
    claims: { ...claims, ...more, ...(hasCustom && { custom_claims }) },
  };
}
