import type { OperationId } from '../contract/types.ts';
import { ApiError } from '../errors.ts';
import type { World } from '../world/world.ts';
import type { Handler } from './handler.ts';

type ServiceOf<K extends string> = K extends `${infer Service}_${string}` ? Service : never;
type HandlersOf<S extends string> = { [K in OperationId as ServiceOf<K> extends S ? K : never]: Handler<K> };

/** Every operation of the contract, by service: one that is missing, misspelt or of the wrong shape does not compile. */
type Services = { [S in ServiceOf<OperationId>]: () => Promise<HandlersOf<S>> };

/** A service is loaded when it is first called: what the first answer does not need must not delay it. */
const services: Services = {
  OAuth: async () => {
    const { oauthDiscovery } = await import('./oauth-discovery.ts');
    const { oauthToken } = await import('./oauth-token.ts');
    return { ...oauthDiscovery, ...oauthToken };
  },
  OrganizationService: async () => {
    const { organizations } = await import('./organizations.ts');
    const { portalLinks } = await import('./portal-links.ts');
    return { ...organizations, ...portalLinks };
  },
  UserService: async () => {
    const { users } = await import('./users.ts');
    const { memberships } = await import('./memberships.ts');
    const { invitations } = await import('./invitations.ts');
    return { ...users, ...memberships, ...invitations };
  },
  ConnectionService: async () => (await import('./connections.ts')).connections,
  ConnectedAccountService: async () => (await import('./connected-accounts.ts')).connectedAccounts,
  ToolService: async () => (await import('./tools.ts')).tools,
};

export interface AnyInput {
  path: Record<string, unknown>;
  query: Record<string, unknown>;
  body: unknown;
}

/** The contract has checked that input and handler fit; the compiler can't see it. */
export type AnyHandler = (input: AnyInput, world: World) => unknown;

type AnyService = Readonly<Record<string, AnyHandler | undefined>>;

/** Finds the function of an operation by its name. */
export class Handlers {
  readonly #loaded = new Map<string, AnyService>();

  async find(operation: string): Promise<AnyHandler> {
    const name = operation.slice(0, operation.indexOf('_'));
    const service = this.#loaded.get(name) ?? (await this.#load(name));
    const handler = service[operation];
    if (!handler) throw new ApiError('unimplemented', `${operation} is not implemented`);
    return handler;
  }

  async #load(name: string): Promise<AnyService> {
    const load = (services as Readonly<Record<string, (() => Promise<unknown>) | undefined>>)[name];
    const service = ((await load?.()) ?? {}) as AnyService;
    this.#loaded.set(name, service);
    return service;
  }
}
