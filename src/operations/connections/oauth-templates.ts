import type { Env } from '../../state/env.ts';
import { isObject } from '@understudy/text/json';
import { acceptsUnknown } from './provider-tools.ts';
import type { Connection } from './connection-lookup.ts';

interface OauthTemplate {
  authorize_uri: string;
  token_uri: string;
  user_info_uri: string;
  provider?: Connection['provider'];
}

const template = (authorize_uri: string, token_uri: string, user_info_uri: string): OauthTemplate => ({
  authorize_uri,
  token_uri,
  user_info_uri,
});

const GOOGLE: OauthTemplate = {
  ...template(
    'https://accounts.google.com/o/oauth2/v2/auth',
    'https://oauth2.googleapis.com/token',
    'https://openidconnect.googleapis.com/v1/userinfo',
  ),
  provider: 'GOOGLE',
};

/** OAuth addresses of the catalogue's and the login page's applications, by provider key. */
const TEMPLATES: Readonly<Record<string, OauthTemplate>> = {
  GOOGLE,
  GMAIL: GOOGLE,
  GOOGLECALENDAR: GOOGLE,
  SLACK: template(
    'https://slack.com/oauth/v2/authorize',
    'https://slack.com/api/oauth.v2.access',
    'https://slack.com/api/users.identity',
  ),
  GITHUB: template(
    'https://github.com/login/oauth/authorize',
    'https://github.com/login/oauth/access_token',
    'https://api.github.com/user',
  ),
  GITLAB: template(
    'https://gitlab.com/oauth/authorize',
    'https://gitlab.com/oauth/token',
    'https://gitlab.com/oauth/userinfo',
  ),
  LINKEDIN: template(
    'https://www.linkedin.com/oauth/v2/authorization',
    'https://www.linkedin.com/oauth/v2/accessToken',
    'https://api.linkedin.com/v2/userinfo',
  ),
  MICROSOFT: template(
    'https://login.microsoftonline.com/common/oauth2/v2.0/authorize',
    'https://login.microsoftonline.com/common/oauth2/v2.0/token',
    'https://graph.microsoft.com/oidc/userinfo',
  ),
  NOTION: template(
    'https://api.notion.com/v1/oauth/authorize',
    'https://api.notion.com/v1/oauth/token',
    'https://api.notion.com/v1/users/me',
  ),
  HUBSPOT: template(
    'https://app.hubspot.com/oauth/authorize',
    'https://api.hubapi.com/oauth/v1/token',
    'https://api.hubapi.com/account-info/v3/details',
  ),
  SALESFORCE: template(
    'https://login.salesforce.com/services/oauth2/authorize',
    'https://login.salesforce.com/services/oauth2/token',
    'https://login.salesforce.com/services/oauth2/userinfo',
  ),
  LINEAR: template(
    'https://linear.app/oauth/authorize',
    'https://api.linear.app/oauth/token',
    'https://api.linear.app/graphql',
  ),
  JIRA: template(
    'https://auth.atlassian.com/authorize',
    'https://auth.atlassian.com/oauth/token',
    'https://api.atlassian.com/me',
  ),
  TRELLO: template(
    'https://trello.com/1/OAuthAuthorizeToken',
    'https://trello.com/1/OAuthGetAccessToken',
    'https://api.trello.com/1/members/me',
  ),
};

export function oauthTemplate(providerKey: string): OauthTemplate | undefined {
  return Object.hasOwn(TEMPLATES, providerKey) ? TEMPLATES[providerKey] : undefined;
}

/** The addresses in the row of an application that the service brings its own OAuth client for. */
export function describedTemplate(env: Env, providerKey: string): Partial<OauthTemplate> | undefined {
  const provider = env.providers.find(providerKey);
  if (!provider || provider.is_custom) return undefined;
  const config = provider.auth_patterns.find(({ type }) => type === 'OAUTH')?.['oauth_config'];
  if (!isObject(config)) return undefined;
  const { authorize_uri, token_uri } = config;
  if (typeof authorize_uri !== 'string' || typeof token_uri !== 'string') return undefined;
  return { authorize_uri, token_uri };
}

/** Nobody can reach the addresses of an application that nothing describes. */
export function genericTemplate(env: Env, providerKey: string): OauthTemplate | undefined {
  if (env.providers.has(providerKey) || !acceptsUnknown(env)) return undefined;
  const host = providerKey.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
  const address = (path: string) => `https://${host}.example.com/${path}`;
  return template(address('oauth/authorize'), address('oauth/token'), address('me'));
}
