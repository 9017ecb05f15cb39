import type { Operations } from '../handler.ts';
import { GRANT_TYPES } from './grant-types.ts';
import { PROFILE } from './profile-claims.ts';

const SECRETS = ['client_secret_basic', 'client_secret_post'];
const OF_TOKENS = ['iss', 'aud', 'azp', 'client_id', 'exp', 'iat', 'nonce', 'at_hash', 'c_hash', 'amr'];
const OF_SESSIONS = ['oid', 'sid', 'xoid', 'xuid', 'roles', 'permissions'];
const CLAIMS = ['sub', ...OF_TOKENS, ...OF_SESSIONS, 'email', 'email_verified', ...PROFILE];

export const oauthDiscovery = {
  OAuth_Keys(_, env) {
    return env.jwks();
  },

  OAuth_Discovery(_, { baseUrl }) {
    return {
      issuer: baseUrl,
      authorization_endpoint: `${baseUrl}/oauth/authorize`,
      token_endpoint: `${baseUrl}/oauth/token`,
      userinfo_endpoint: `${baseUrl}/userinfo`,
      jwks_uri: `${baseUrl}/keys`,
      end_session_endpoint: `${baseUrl}/oidc/logout`,
      introspection_endpoint: `${baseUrl}/oauth/introspect`,
      revocation_endpoint: `${baseUrl}/revoke`,
      scopes_supported: ['openid', 'profile', 'email', 'offline_access'],
      response_types_supported: ['code'],
      response_modes_supported: ['query'],
      grant_types_supported: [...GRANT_TYPES],
      prompt_values_supported: ['none', 'login', 'create', 'select_account'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256'],
      token_endpoint_auth_methods_supported: ['none', ...SECRETS],
      introspection_endpoint_auth_methods_supported: SECRETS,
      revocation_endpoint_auth_methods_supported: ['none', ...SECRETS],
      code_challenge_methods_supported: ['S256'],
      claims_supported: CLAIMS,
      request_parameter_supported: false,
      request_uri_parameter_supported: false,
    };
  },
} satisfies Partial<Operations>;
