import { ApiError } from '../contract/errors.ts';

/** Services of the real API that Understudy does not have, with the beginnings of their paths. */
const ABSENT: readonly (readonly [service: string, name: string, path: RegExp])[] = [
  ['AgentkitAnalyticsService', 'agentkit_logs', /^\/api\/v1\/agentkit\/analytics\//],
  ['AgentkitLogsService', 'agentkit_logs', /^\/api\/v1\/agentkit\/tool_call_logs/],
  ['WorkspaceService', 'workspaces', /^\/api\/v1\/(workspaces|signup$|billing\/productcatalog)/],
  ['BillingService', 'billing', /^\/api\/v1\/billing[/:]/],
  ['EmailService', 'emails', /^\/api\/v1\/(emails?\/|organizations\/[^/]+\/email\/)/],
  [
    'EnvironmentService',
    'environments',
    /^\/api\/v1\/(environments[/:]|features|fetch:|portal\/bootstrap|portal_customizations|sessions:me)/,
  ],
  ['GatewayService', 'gateway', /^\/api\/v1\/gateway/],
  ['KeyManagementService', 'keys', /^\/api\/v1\/keys\//],
  ['LogStreamService', 'logstreams', /^\/api\/v1\/logstreams/],
  ['MembersService', 'members', /^\/api\/v1\/(members|dashboard\/)/],
  ['MigrationService', 'migrations', /^\/migrations\//],
  ['SecretService', 'secrets', /^\/api\/v1\/secrets/],
  ['TriggerService', 'triggers', /^\/api\/v1\/(trigger-|connections\/[^/]+\/trigger)/],
  [
    'UserAttributeService',
    'user_attributes',
    /^\/api\/v1\/(directory-user|sso-user|user-profile)-attributes/,
  ],
  ['WebhookService.WebhookWrapper', 'webhooks', /^\/api\/v1\/webhooks\/wb\//],
];

/** Parts of protocols that Understudy does not have, with the ends of their paths, and what callers do instead. */
const ABSENT_PARTS: readonly (readonly [path: RegExp, message: string])[] = [
  [
    /\/scim\/v2\/Bulk\/?$/,
    'bulk operations are not supported, as ServiceProviderConfig says: send each operation on its own',
  ],
  [/\/scim\/v2\/Me\/?$/, 'a secret of a directory belongs to no user, so there is no /Me: use /Users/{id}'],
];

/** The error for a path or an RPC that the real API has and Understudy has not; undefined: neither has it. */
export function absentService(path: string): ApiError | undefined {
  const part = ABSENT_PARTS.find(([pattern]) => pattern.test(path));
  if (part) return new ApiError('unimplemented', part[1]);
  const found = ABSENT.find(([service, name, pattern]) => pattern.test(path) || isRpcOf(path, name, service));
  if (!found) return undefined;
  const [service, name] = found;
  return new ApiError('unimplemented', `Understudy does not have scalekit.v1.${name}.${service}`);
}

const isRpcOf = (path: string, name: string, service: string) =>
  path.startsWith(`/scalekit.v1.${name}.${service.replace('.', '/')}`) &&
  (service.includes('.') || path[`/scalekit.v1.${name}.${service}`.length] === '/');
