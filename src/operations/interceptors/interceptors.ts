import { failedPrecondition } from '../../errors.ts';
import { page } from '../../world/page.ts';
import type { Rows } from '../../world/schema.ts';
import type { World } from '../../world/world.ts';
import type { Operations } from '../handler.ts';
import { pageSize } from '../page-size.ts';
import { viewTrial } from './trial-view.ts';
import { refuseUnusable, viewCreated, viewInterceptor } from './interceptor-view.ts';

type Interceptor = Rows['interceptors'];

const DEFAULT_TIMEOUT = 10_000;

export const interceptors = {
  InterceptorService_CreateInterceptor({ body }, world) {
    refuseUnusable(body);
    const { timeout_ms = DEFAULT_TIMEOUT, ...wanted } = body;
    const now = world.clock.iso();
    // Unverified: names may come twice, and several interceptors may have one trigger point.
    const interceptor = world.interceptors.insert({
      description: '',
      interceptor_type: 'AUTH',
      // Unverified: the service documents no default.
      failure_policy: 'FAIL_CLOSED',
      ...wanted,
      id: world.draw.id('icp'),
      timeout_ms: Number(timeout_ms),
      secret_id: world.draw.id('sec'),
      secret: `whsec_${world.draw.text(32)}`,
      enabled: false,
      created_at: now,
      updated_at: now,
    });
    return { interceptor: viewCreated(interceptor) };
  },

  InterceptorService_GetInterceptor({ path }, world) {
    return { interceptor: viewInterceptor(world.interceptors.get(path.id)) };
  },

  InterceptorService_ListInterceptors({ query }, world) {
    const { trigger_point, enabled } = query;
    const { rows, ...rest } = page(world.interceptors, {
      size: pageSize(query.page_size, world),
      token: query.page_token,
      by: trigger_point && ['trigger_point', trigger_point],
      where: enabled === undefined ? undefined : (interceptor) => interceptor.enabled === enabled,
    });
    return { ...rest, interceptors: rows.map(viewInterceptor) };
  },

  InterceptorService_UpdateInterceptor({ path, body }, world) {
    const { id } = world.interceptors.get(path.id);
    refuseUnusable(body);
    const { display_name, api_url, timeout_ms, ...changes } = body;
    const updated = world.interceptors.update(id, {
      ...changes,
      // Unverified: the rules let these be empty, the interceptor's own do not: empty changes nothing.
      ...(display_name && { display_name }),
      ...(api_url && { api_url }),
      ...(timeout_ms !== undefined && { timeout_ms: Number(timeout_ms) }),
      updated_at: world.clock.iso(),
    });
    return { interceptor: viewInterceptor(updated) };
  },

  InterceptorService_DeleteInterceptor({ path }, world) {
    world.remove('interceptors', path.id);
    return {};
  },

  InterceptorService_EnableInterceptor({ path }, world) {
    const interceptor = world.interceptors.get(path.id);
    if (!interceptor.api_url) throw failedPrecondition(`interceptor ${interceptor.id} has no api_url`);
    turn(world, interceptor, true);
    return {};
  },

  InterceptorService_DisableInterceptor({ path }, world) {
    turn(world, world.interceptors.get(path.id), false);
    return {};
  },

  InterceptorService_TestInterceptor({ path, body }, world) {
    const interceptor = world.interceptors.get(path.id);
    return viewTrial(world.ask({ interceptor, body, isTrial: true }).heard);
  },
} satisfies Partial<Operations>;

function turn(world: World, { id, enabled }: Interceptor, on: boolean): void {
  if (enabled !== on) world.interceptors.update(id, { enabled: on, updated_at: world.clock.iso() });
}
