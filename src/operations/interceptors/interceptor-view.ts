import { isWebAddress } from '../../addresses.ts';
import { missingFields, validationError } from '../../errors.ts';
import type { Rows } from '../../world/schema.ts';

type Interceptor = Rows['interceptors'];
type Config = NonNullable<Interceptor['config']>;
type AuthConfig = NonNullable<Config['auth_config']>;

/** What the rules of the contract can not say of an interceptor. */
export function refuseUnusable({ api_url, config }: { api_url?: string; config?: Config }): void {
  // Unverified: the service wants https; what a stand-in asks is often served without, next to it.
  if (api_url && !isWebAddress(api_url)) {
    const description = 'value must be an http or https address';
    throw validationError([{ field: 'interceptor.api_url', description, constraint: 'string.uri' }]);
  }
  const { auth_config } = config ?? {};
  const needed = auth_config?.auth_config_type === 'OAUTH2' ? 'oauth2' : 'api_key';
  if (!auth_config || auth_config[needed]) return;
  // Unverified: the type names the half that has to be there.
  throw missingFields(`interceptor.config.auth_config.${needed}`);
}

/** The answer to the creation repeats the secrets of the config, once. */
export function viewCreated(interceptor: Interceptor) {
  const { secret, timeout_ms, config, ...shown } = interceptor;
  return {
    api_url: '',
    ...shown,
    timeout_ms: String(timeout_ms),
    secret_suffix: secret.slice(-4),
    ...(config && { config: viewConfig(config) }),
  };
}

export function viewInterceptor(interceptor: Interceptor) {
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
