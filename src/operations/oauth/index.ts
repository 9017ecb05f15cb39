import { oauthAuthorize } from './authorize.ts';
import { oauthIntrospection, oauthRevocation } from './introspection.ts';
import { oauthDiscovery } from './oauth-discovery.ts';
import { oauthToken } from './oauth-token.ts';
import { oauthUserInfo } from './profile-claims.ts';

export const oauthService = {
  ...oauthAuthorize,
  ...oauthDiscovery,
  ...oauthToken,
  ...oauthUserInfo,
  ...oauthIntrospection,
  ...oauthRevocation,
};
