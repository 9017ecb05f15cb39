import { addressCode } from '@understudy/text/issued-code';
import { jwks, verifyingKeys } from '../../state/signing-keys.ts';
import type { Operations } from '../handler.ts';
import { resourceOf, issuerOf, offeredScopes, protectedMetadata } from '../resources/resource.ts';
import { GRANT_TYPES, JWT_BEARER } from './grant-types.ts';
import { PROFILE } from './user-grant.ts';

const SECRETS = ['client_secret_basic', 'client_secret_post'];
const OF_TOKENS = [
  'iss',
  'aud',
  'azp',
  'client_id',
  'exp',
  'iat',
  'nonce',
  'at_hash',
  'c_hash',
  'amr',
  'auth_time',
];
const OF_SESSIONS = ['oid', 'sid', 'xoid', 'xuid', 'roles', 'permissions'];
const CLAIMS = ['sub', ...OF_TOKENS, ...OF_SESSIONS, 'email', 'email_verified', ...PROFILE];

export const oauthDiscovery = {
  OAuth_Keys(_, env) {
    return jwks(verifyingKeys(env.signing_keys, env.clock.ms));
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
      prompt_values_supported: ['none', 'login', 'create', 'select_account', 'consent'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256'],
      token_endpoint_auth_methods_supported: ['none', ...SECRETS],
      introspection_endpoint_auth_methods_supported: SECRETS,
      revocation_endpoint_auth_methods_supported: ['none', ...SECRETS],
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
      claims_supported: CLAIMS,
      request_parameter_supported: false,
      request_uri_parameter_supported: false,
    };
  },
} satisfies Partial<Operations>;

export const resourceMetadata = {
  ResourceMetadata_GetServer({ path }, env) {
    const resource = resourceOf(env, path)!;
    const issuer = issuerOf(env, resource);
    const { disable_dynamic_client_registration: isClosed, enable_cimd, xaa_enabled } = resource;
    const registration = `${env.baseUrl}/api/v1/resources/${addressCode(env, resource.id)}/clients:register`;
    return {
      issuer,
      authorization_endpoint: `${issuer}/oauth/authorize`,
      token_endpoint: `${issuer}/oauth/token`,
      ...(!isClosed && { registration_endpoint: registration }),
      introspection_endpoint: `${env.baseUrl}/oauth/introspect`,
      revocation_endpoint: `${env.baseUrl}/revoke`,
      jwks_uri: `${env.baseUrl}/keys`,
      scopes_supported: offeredScopes(env, resource),
      response_types_supported: ['code'],
      response_modes_supported: ['query'],
      grant_types_supported: [...GRANT_TYPES, ...(xaa_enabled ? [JWT_BEARER] : [])],
      token_endpoint_auth_methods_supported: ['none', ...SECRETS],
      introspection_endpoint_auth_methods_supported: SECRETS,
      revocation_endpoint_auth_methods_supported: SECRETS,
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
      client_id_metadata_document_supported: enable_cimd ?? false,
    };
  },

  ResourceMetadata_Get({ path }, env) {
    return protectedMetadata(env, resourceOf(env, path)!);
  },
} satisfies Partial<Operations>;
