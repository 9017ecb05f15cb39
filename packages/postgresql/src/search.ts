import type { Environment } from '@understudy/core/environment/environment';
import { DEFAULT_ENVIRONMENT } from '@understudy/core/state/environment-names';
import type { Environments } from '@understudy/core/environment/environments';
import type { Contract } from '@understudy/core/contract/contract';
import type { Route } from '@understudy/core/contract/router';
import type { Controls } from '@understudy/core/control/handler';
import { header, type Call } from '@understudy/core/pipeline/call';
import { findEnvironment, type RoutedRequest } from '@understudy/core/pipeline/find-environment';
import { readRequest } from '@understudy/core/pipeline/read-request';
/** Which of the two APIs a call is for. */
export type Api = 'service' | 'control';

/**
 * What one call sees of the environments of all processes. A search that needs an environment of another process sets
 * `elsewhere` and continues with `default` in its place: its result does not count.
 */
class EnvironmentView {
  readonly #environments: Environments;
  readonly #absent: ReadonlySet<string>;
  #elsewhere: string | undefined;

  /** `absent`: names that were looked up and belong to no environment. */
  constructor(environments: Environments, absent: ReadonlySet<string>) {
    this.#environments = environments;
    this.#absent = absent;
  }

  /** The first environment that the search needs and this process lacks. */
  get elsewhere(): string | undefined {
    return this.#elsewhere;
  }

  find(name: string): Environment | undefined {
    const own = this.#environments.own(name);
    // What is stored of `default` may be elsewhere; its tokens are known here as well.
    if (own && (name === DEFAULT_ENVIRONMENT || !own.log.isOver)) return own;
    if (this.#absent.has(name)) return undefined;
    // An error instead would cost half of the search, for its stack trace.
    this.#elsewhere ??= name;
    return this.#environments.own(DEFAULT_ENVIRONMENT);
  }

  get(name: string): Environment {
    return this.find(name) ?? this.#environments.get(name);
  }
}

/** These calls concern the process that answers, or all processes. */
const OF_THE_PROCESS: ReadonlySet<string> = new Set([
  'Control_Health',
  'Control_Authority',
  'Control_Document',
  'Control_GetMetrics',
  'Control_ListEnvironments',
  'Control_CreateEnvironment',
  'Control_ListFixtures',
  'Control_ListReplicas',
  'Control_ListReplicaEnvironments',
  'Control_LintScenario',
  'Control_GetScenarioFile',
  'Control_PutScenarioFile',
]);

/** The call, before it is forwarded. */
export interface Search {
  api: Api;
  absent: Set<string>;
  /** Set once the search is over. */
  environment?: string | undefined;
  /** Asks only for the id of the organization with this external id. */
  externalId?: string | undefined;
}

/** The environment of the call, or one that the search depends on and this process lacks. */
export function environmentFor(call: Call, search: Search, controls: Controls): string | undefined {
  if (search.environment !== undefined) return search.environment;
  if (search.api === 'control') return ofControl(call, search, controls);
  const { simulator } = controls;
  const view = new EnvironmentView(simulator.environments, search.absent);
  const places = { environments: view, keys: simulator.keys };
  const { environment } = findEnvironment(call, places, routed(call, simulator.contract));
  return view.elsewhere ?? environment.name;
}

/** Undefined: any process can answer, as it can if the environment is unknown. */
function ofControl(call: Call, { absent }: Search, { contract }: Controls): string | undefined {
  const route = routeOf(call, contract);
  if (route === undefined || OF_THE_PROCESS.has(route.operation.base)) return undefined;
  if (call.query['environments'] === 'all') return undefined;
  const named =
    route.params['environment'] ?? (header(call, 'understudy-environment') || DEFAULT_ENVIRONMENT);
  return absent.has(named) ? undefined : named;
}

/** Undefined if the call has none. The call keeps it, so that nobody looks for it again. */
export function routeOf(call: Call, contract: Contract): Route | undefined {
  const { method, path } = call;
  try {
    const { route = contract.router.route(method, path) } = call;
    Object.assign(call, { route });
    return route;
  } catch {
    return undefined;
  }
}

function routed(call: Call, contract: Contract): RoutedRequest | undefined {
  const route = routeOf(call, contract);
  return route && { ...route, ...readRequest(call, route) };
}
