import { oauthAuthorize } from './authorize.ts';
import { oauthIntrospection } from './introspection.ts';
import { oauthDiscovery } from './oauth-discovery.ts';
import { oauthToken } from './oauth-token.ts';
import { oauthRevocation } from './revocation.ts';
import { oauthUserInfo } from './user-info.ts';

export const oauthService = {
  ...oauthAuthorize,
  ...oauthDiscovery,
  ...oauthToken,
  ...oauthUserInfo,
  ...oauthIntrospection,
  ...oauthRevocation,
};
