import type { InterceptorCall, InterceptorEffects, Trigger } from '../../contract/types.ts';
import { ApiError } from '../../errors.ts';
import type { InterceptorInvocation } from '../../environment/interceptor-invocation.ts';
import type { Env } from '../../environment/env.ts';

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
export class InterceptorDenial extends ApiError {
  readonly interceptor_id: string;

  constructor(interceptor_id: string, message: string) {
    // Unverified: the docs do not say with which error a denied call fails.
    super('permission_denied', message);
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
  // Unverified: the docs say neither in which order interceptors are asked nor that there may be several.
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
