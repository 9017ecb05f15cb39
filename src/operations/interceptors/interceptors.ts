import { rowNamed } from '../../contract/cause.ts';
import type { Env, Rows } from '../../state/env.ts';
import type { InterceptorReply } from '../../state/interceptor-invocation.ts';
import { page } from '../../rows/page.ts';
import { failedPrecondition, missingFields, validationError } from '../../contract/errors.ts';
import { isWebAddress } from '@understudy/text/addresses';
import { isObject } from '@understudy/text/json';
import type { Operations } from '../handler.ts';
import { listing } from '../lists.ts';

type Interceptor = Rows['interceptors'];

const DEFAULT_TIMEOUT = 10_000;

export const interceptors = {
  InterceptorService_CreateInterceptor({ body }, env) {
    refuseUnusable(env, body);
    const { timeout_ms = DEFAULT_TIMEOUT, ...wanted } = body;
    if (!wanted.failure_policy) env.decidedBy('interceptors/default-failure-policy');
    const now = env.clock.iso();
    // Unverified (interceptors/same-names): names and trigger points need not be unique.
    const interceptor = env.interceptors.insert({
      description: '',
      interceptor_type: 'AUTH',
      // Unverified (interceptors/default-failure-policy): the docs give no default.
      failure_policy: 'FAIL_CLOSED',
      ...wanted,
      id: env.draw.id('icp'),
      timeout_ms: Number(timeout_ms),
      secret_id: env.draw.id('sec'),
      secret: `whsec_${env.draw.text(32)}`,
      enabled: false,
      created_at: now,
      updated_at: now,
    });
    return { interceptor: viewCreated(interceptor) };
  },

  InterceptorService_GetInterceptor({ path }, env) {
    return { interceptor: viewInterceptor(env.interceptors.get(path.id)) };
  },

  InterceptorService_ListInterceptors({ query }, env) {
    const { trigger_point, enabled } = query;
    const { rows, ...rest } = page(env.interceptors, {
      ...listing(query, env),
      by: trigger_point && ['trigger_point', trigger_point],
      where: enabled === undefined ? undefined : (interceptor) => interceptor.enabled === enabled,
    });
    return { ...rest, interceptors: rows.map(viewInterceptor) };
  },

  InterceptorService_UpdateInterceptor({ path, body }, env) {
    const { id } = env.interceptors.get(path.id);
    refuseUnusable(env, body);
    const { display_name, api_url, timeout_ms, ...changes } = body;
    if (display_name === '' || api_url === '') env.decidedBy('interceptors/empty-values-in-update');
    const updated = env.interceptors.update(id, {
      ...changes,
      // Unverified (interceptors/empty-values-in-update): the document's rules allow empty values here, but an
      // interceptor's own rules do not. An empty value changes nothing.
      ...(display_name && { display_name }),
      ...(api_url && { api_url }),
      ...(timeout_ms !== undefined && { timeout_ms: Number(timeout_ms) }),
      updated_at: env.clock.iso(),
    });
    return { interceptor: viewInterceptor(updated) };
  },

  InterceptorService_DeleteInterceptor({ path }, env) {
    env.remove('interceptors', path.id);
    return {};
  },

  InterceptorService_EnableInterceptor({ path }, env) {
    const interceptor = env.interceptors.get(path.id);
    if (!interceptor.api_url)
      throw failedPrecondition(`interceptor ${interceptor.id} has no api_url`, {
        rows: [rowNamed('interceptors', interceptor)],
        leads: ['InterceptorService_UpdateInterceptor'],
      });
    switchInterceptor(env, interceptor, true);
    return {};
  },

  InterceptorService_DisableInterceptor({ path }, env) {
    switchInterceptor(env, env.interceptors.get(path.id), false);
    return {};
  },

  InterceptorService_TestInterceptor({ path, body }, env) {
    const interceptor = env.interceptors.get(path.id);
    return viewTrial(env.ask({ interceptor, body, isTrial: true }).reply);
  },
} satisfies Partial<Operations>;

function switchInterceptor(env: Env, { id, enabled }: Interceptor, on: boolean): void {
  if (enabled !== on) env.interceptors.update(id, { enabled: on, updated_at: env.clock.iso() });
}

/** The result of a trial call; the failure policy does not apply. */
function viewTrial({ status, answer, failure }: InterceptorReply) {
  const { violations, code = '', message = '' } = failure ?? {};
  return {
    ...(isObject(answer) && { interceptor_response: answer }),
    ...(violations && { validation_error: { field_violations: [...violations] } }),
    ...(failure && {
      error: {
        code,
        message: Array.from(message).slice(0, LONGEST_MESSAGE).join(''),
        ...(status !== undefined && { details: { status } }),
      },
    }),
  };
}

const LONGEST_MESSAGE = 500;

type Config = NonNullable<Interceptor['config']>;
type AuthConfig = NonNullable<Config['auth_config']>;

/** Rules that the contract cannot express. */
function refuseUnusable(env: Env, { api_url, config }: { api_url?: string; config?: Config }): void {
  // Unverified (interceptors/http-address): the service requires https. Here http is allowed, because test servers on
  // the same machine often have no certificate.
  if (api_url && /^http:/i.test(api_url)) env.decidedBy('interceptors/http-address');
  if (api_url && !isWebAddress(api_url)) {
    const description = 'value must be an http or https address';
    throw validationError([{ field: 'interceptor.api_url', description, constraint: 'string.uri' }]);
  }
  const { auth_config } = config ?? {};
  const needed = auth_config?.auth_config_type === 'OAUTH2' ? 'oauth2' : 'api_key';
  if (!auth_config || auth_config[needed]) return;
  // Unverified (interceptors/credentials-of-type): the type decides which half is required.
  throw missingFields(`interceptor.config.auth_config.${needed}`).decidedBy(
    'interceptors/credentials-of-type',
  );
}

/** The reply to the creation shows the secrets of the config once. */
function viewCreated(interceptor: Interceptor) {
  const { secret, timeout_ms, config, ...shown } = interceptor;
  return {
    api_url: '',
    ...shown,
    timeout_ms: String(timeout_ms),
    secret_suffix: secret.slice(-4),
    ...(config && { config: viewConfig(config) }),
  };
}

function viewInterceptor(interceptor: Interceptor) {
  const { config, ...rest } = interceptor;
  return viewCreated(config ? { ...rest, config: withoutSecrets(config) } : interceptor);
}

function viewConfig({ auth_config }: Config) {
  if (!auth_config) return {};
  const { oauth2, ...rest } = auth_config;
  return { auth_config: { ...rest, ...(oauth2 && { oauth2: { scope: '', ...oauth2 } }) } };
}

function withoutSecrets({ auth_config }: Config): Config {
  if (!auth_config) return {};
  const { api_key, oauth2, auth_config_type } = auth_config;
  const shown: AuthConfig = { auth_config_type };
  if (api_key) shown.api_key = { ...api_key, api_key: '' };
  if (oauth2) shown.oauth2 = { ...oauth2, client_secret: '' };
  return { auth_config: shown };
}
