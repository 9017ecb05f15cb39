import { JWT_BEARER, GRANT_TYPES } from '../oauth/grant-types.ts';
import { resourceOf } from '../oauth/resource-request.ts';
import type { Operations } from '../handler.ts';
import { addressCode } from '../../text/issued-code.ts';
import { issuerOf, offeredScopes, protectedMetadata } from './resource-view.ts';

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
      token_endpoint_auth_methods_supported: ['none', 'client_secret_basic', 'client_secret_post'],
      code_challenge_methods_supported: ['S256'],
      client_id_metadata_document_supported: enable_cimd ?? false,
    };
  },

  ResourceMetadata_Get({ path }, env) {
    return protectedMetadata(env, resourceOf(env, path)!);
  },
} satisfies Partial<Operations>;
