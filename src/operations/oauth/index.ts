import { oauthAuthorize } from './authorize.ts';
import { oauthDiscovery } from './oauth-discovery.ts';
import { oauthToken } from './oauth-token.ts';

export const oauthService = { ...oauthAuthorize, ...oauthDiscovery, ...oauthToken };
