import type { OperationId } from '../contract/types.ts';
import { ApiError } from '../contract/errors.ts';
import type { Env } from '../state/env.ts';
import type { Handler } from './handler.ts';
import { magicLinks, type Links } from './magic-links.ts';

type ServiceOf<K extends string> = K extends `${infer Service}_${string}` ? Service : never;
type HandlersOf<S extends string> = { [K in OperationId as ServiceOf<K> extends S ? K : never]: Handler<K> };

/** All operations of the contract by service. A missing, misspelt or mistyped handler does not compile. */
export type Services = { [S in ServiceOf<OperationId>]: () => Promise<HandlersOf<S>> };

/** The services of packages/portals. */
export type PortalService = 'Portal' | 'WebhookPortal';

/** The services of packages/sso. */
export type SsoService = 'IdentityProvider' | 'Saml';

/** The service of packages/provisioning. */
export type ProvisioningService = 'Scim';

/** The services of packages/accounts. */
export type AccountService =
  'AccountPage' | 'ActionsProxy' | 'ConnectedAccountService' | 'McpServer' | 'McpService' | 'ToolService';

interface Added {
  services: Partial<Services>;
  links: Links;
}

/** A service is loaded at its first call, so that the first reply does not wait for all of them. */
const services: Omit<
  Services,
  PortalService | AccountService | ProvisioningService | SsoService | 'MagicLink'
> = {
  OAuth: async () => ({
    ...(await import('./oauth/authorize.ts')).oauthAuthorize,
    ...(await import('./oauth/oauth-token.ts')).oauthToken,
    ...(await import('./oauth/discovery.ts')).oauthDiscovery,
    ...(await import('./oauth/user-grant.ts')).oauthUserInfo,
    ...(await import('./oauth/introspection.ts')).oauthIntrospection,
    ...(await import('./oauth/introspection.ts')).oauthRevocation,
  }),
  FrontPage: async () => (await import('./front-page.ts')).frontPage,
  LoginPage: async () => ({
    ...(await import('./sign-in/login-page.ts')).loginPage,
    ...(await import('./sign-in/sign-up.ts')).signUpForm,
    ...(await import('./sign-in/continue-page.ts')).continuePage,
    ...(await import('./sign-in/passkey-page.ts')).passkeyPage,
    ...(await import('./sign-in/second-factor-page.ts')).secondFactorPage,
    ...(await import('./sign-in/new-passkey-page.ts')).newPasskeyPage,
    ...(await import('./sign-in/code-page.ts')).codePage,
    ...(await import('./sign-in/link-page.ts')).linkPage,
    ...(await import('./sign-in/organization-page.ts')).organizationPage,
    ...(await import('./sign-in/consent-page.ts')).consentPage,
  }),
  ProfilePage: async () => ({
    ...(await import('./passkeys/profile-page.ts')).profilePage,
    ...(await import('./totp/profile-page.ts')).authenticatorPage,
  }),
  TOTPService: async () => (await import('./totp/registrations.ts')).registrations,
  Logout: async () => (await import('./sign-out.ts')).logout,
  InvitationPage: async () => (await import('./sign-in/invitation-page.ts')).invitationPage,
  OrganizationService: async () => ({
    ...(await import('./organizations/organizations.ts')).organizations,
    ...(await import('./organizations/organizations.ts')).userManagement,
    ...(await import('./organizations/portal-links.ts')).portalLinks,
    ...(await import('./organizations/session-policies.ts')).sessionPolicies,
    ...(await import('./organizations/branding.ts')).branding,
  }),
  UserService: async () => ({
    ...(await import('./users/users.ts')).users,
    ...(await import('./users/user-view.ts')).userLists,
    ...(await import('./users/memberships.ts')).memberships,
    ...(await import('./users/memberships.ts')).userRoles,
    ...(await import('./users/invitations.ts')).invitations,
  }),
  SessionService: async () => (await import('./sessions.ts')).sessions,
  WebAuthnService: async () => ({
    ...(await import('./passkeys/credentials.ts')).credentials,
    ...(await import('./passkeys/registration.ts')).registration,
    ...(await import('./passkeys/authentication.ts')).authentication,
    ...(await import('./passkeys/relying-party.ts')).relatedOrigins,
  }),
  RolesService: async () => ({
    ...(await import('./roles/roles.ts')).roles,
    ...(await import('./roles/roles.ts')).defaultRoles,
    ...(await import('./roles/roles.ts')).organizationRoles,
    ...(await import('./roles/permissions.ts')).permissions,
    ...(await import('./roles/permissions.ts')).rolePermissions,
  }),
  PasswordlessService: async () => (await import('./passwordless/passwordless.ts')).passwordless,
  AuthService: async () => ({
    ...(await import('./sign-in/auth-methods.ts')).authMethods,
    ...(await import('./sign-in/auth-state.ts')).authState,
    ...(await import('./sign-in/appearance.ts')).appearance,
    ...(await import('./logins.ts')).loginRequests,
  }),
  EnvironmentService: async () => (await import('./service-environments.ts')).environments,
  MembersService: async () => (await import('./members.ts')).members,
  EventsService: async () => (await import('./events.ts')).events,
  Dummy: async () => (await import('./blocked.ts')).dummy,
  WebhookService: async () => (await import('./events.ts')).webhooks,
  InterceptorService: async () => ({
    ...(await import('./interceptors/interceptors.ts')).interceptors,
    ...(await import('./interceptors/token-templates.ts')).tokenTemplates,
  }),
  AuditLogsService: async () => (await import('./logins.ts')).authLogs,
  ConnectionService: async () => ({
    ...(await import('./connections/connections.ts')).connections,
    ...(await import('./connections/tests.ts')).connectionTests,
    ...(await import('./connections/tests.ts')).connectionContexts,
  }),
  DirectoryService: async () => ({
    ...(await import('./directories/directories.ts')).directories,
    ...(await import('./directories/settings.ts')).settings,
    ...(await import('./directories/secrets.ts')).secrets,
    ...(await import('./directories/sync.ts')).sync,
    ...(await import('./directories/members.ts')).members,
    ...(await import('./directories/members.ts')).roleAssignment,
  }),
  DomainService: async () => (await import('./domains/domains.ts')).domains,
  ResourceMetadata: async () => (await import('./oauth/discovery.ts')).resourceMetadata,
  ClientService: async () => ({
    ...(await import('./clients/environment-clients.ts')).environmentClients,
    ...(await import('./clients/environment-login-uris.ts')).environmentLoginUris,
    ...(await import('./clients/organization-clients.ts')).organizationClients,
    ...(await import('./resources/resources.ts')).resources,
    ...(await import('./resources/scopes.ts')).scopes,
    ...(await import('./resources/resource-clients.ts')).resourceClients,
    ...(await import('./resources/registration.ts')).registration,
    ...(await import('./resources/consents.ts')).consents,
  }),
  ApiTokenService: async () => (await import('./api-tokens.ts')).apiTokens,
  ProviderService: async () => (await import('./providers.ts')).providers,
};

export interface AnyInput {
  path: Record<string, unknown>;
  query: Record<string, unknown>;
  headers: Record<string, unknown>;
  cookies: Record<string, string>;
  body: unknown;
}

/** The compiler cannot see that input and handler fit; the types of `services` guarantee it. */
export type AnyHandler = (input: AnyInput, env: Env) => unknown;

type AnyService = Readonly<Record<string, AnyHandler | undefined>>;

export class Handlers {
  readonly #services: Readonly<Record<string, (() => Promise<unknown>) | undefined>>;
  readonly #loaded = new Map<string, AnyService>();

  /** `added`: what packages add. */
  constructor({ services: added, links }: Added) {
    this.#services = { ...services, MagicLink: () => magicLinks(links), ...added };
  }

  /** A promise if the operation's service is not loaded yet. */
  find(operation: string): AnyHandler | Promise<AnyHandler> {
    const name = operation.slice(0, operation.indexOf('_'));
    const service = this.#loaded.get(name);
    return service
      ? handlerIn(service, operation)
      : this.#load(name).then((loaded) => handlerIn(loaded, operation));
  }

  async #load(name: string): Promise<AnyService> {
    const service = ((await this.#services[name]?.()) ?? {}) as AnyService;
    this.#loaded.set(name, service);
    return service;
  }
}

function handlerIn(service: AnyService, operation: string): AnyHandler {
  const handler = service[operation];
  if (!handler) throw new ApiError('unimplemented', `${operation} is not implemented`);
  return handler;
}
