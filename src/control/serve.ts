import type { Contract } from '../contract/contract.ts';
import type { FixtureShelf } from '../environments/fixture-shelf.ts';
import { DEFAULT_ENVIRONMENT } from '../environments/registry.ts';
import { ApiError, unauthenticated } from '../errors.ts';
import { bearerToken } from '../pipeline/authenticate.ts';
import { header, type Call, type Reply } from '../pipeline/call.ts';
import { readRequest } from '../pipeline/read-request.ts';
import type { Simulator } from '../pipeline/serve.ts';
import type { Library } from '../scenarios/library.ts';
import type { ScenarioReader } from '../scenarios/scenario.ts';
import type { ControlContext } from './handler.ts';
import { controlOperations } from './operations.ts';

export const CONTROL_PATH = '/_control/v1';

/** What the control API works on. */
export interface Controls {
  readonly simulator: Simulator;
  readonly contract: Contract;
  readonly fixtures: FixtureShelf;
  readonly scenarios: { reader: ScenarioReader; library: Library };
  readonly documents: { service(): object; control(): object };
  readonly version: string;
  /** The bearer token that it wants, if any. */
  readonly token: string | undefined;
}

type AnyHandler = (input: unknown, context: ControlContext) => unknown;

/** A call to the simulator itself: validated like any other, but never in a journal and never scripted. */
export async function serveControl(call: Call, controls: Controls): Promise<Reply> {
  try {
    const route = controls.contract.route(call.method, call.path);
    const { operation } = route;
    if (operation.base !== 'Control_Health') admit(call, controls.token);
    const { request, rejection } = readRequest(call, route);
    if (rejection) throw rejection;
    const { input, unknown } = controls.contract.checkRequest(operation, request);
    const [stranger] = unknown;
    if (stranger !== undefined)
      throw new ApiError('invalid_argument', `${stranger}: ${operation.base} has no such field`);

    const environment = controls.simulator.environments.get(route.params['environment'] ?? named(call));
    const handle = (controlOperations as unknown as Record<string, AnyHandler>)[operation.base]!;
    const body = await handle(input, { ...controls, environment, baseUrl: call.baseUrl });
    controls.contract.checkResponse(operation, operation.status, body);
    return { status: operation.status, headers: {}, body };
  } catch (thrown) {
    const error = ApiError.from(thrown);
    if (error.parts.cause !== undefined)
      controls.simulator.report(`${call.method} ${call.path}`, error.parts.cause);
    return { status: error.status, headers: { ...error.parts.headers }, body: error.body('envelope') };
  }
}

const named = (call: Call) => header(call, 'understudy-environment') || DEFAULT_ENVIRONMENT;

function admit(call: Call, token: string | undefined): void {
  if (token !== undefined && bearerToken(call) !== token) {
    throw unauthenticated('the control API wants the token of UNDERSTUDY_CONTROL_TOKEN');
  }
}
