import type { Operation } from '../contract/compiled.ts';
import type { Contract, UncheckedInput } from '../contract/contract.ts';
import type { Route } from '../contract/router.ts';
import { uptime } from '../state/clock.ts';
import type { Environment } from '../environment/environment.ts';
import { DEFAULT_ENVIRONMENT } from '../state/environment-names.ts';
import { ApiError, failedPrecondition, unauthenticated } from '../contract/errors.ts';
import { isSecret } from '@understudy/text/secrets';
import {
  bearerTokens,
  header,
  preferred,
  written,
  type Call,
  type Reply,
  type WrittenReply,
} from '../pipeline/call.ts';
import { DIALECTS } from '../pipeline/dialects.ts';
import { readRequest } from '../pipeline/read-request.ts';
import { serve } from '../pipeline/serve.ts';
import { untilKept } from '../store/until-stored.ts';
import { nextTurnIfLarge } from '../scenarios/steps.ts';
import { explainViolations, refuseBody, refuseUntyped, unknownPath } from './explain.ts';
import { StreamReply, TextReply, type ControlContext, type Controls, type OwnCall } from './handler.ts';
import { controlOperations } from './operations.ts';

/** For callers that cannot disconnect. */
const NEVER_ABORTS = new AbortController().signal;

type AnyHandler = (input: unknown, context: ControlContext) => unknown;
type Handlers = Partial<Record<string, AnyHandler>>;

/** The API of the service and the control API. Another process may answer a call. */
export interface Apis {
  serve(call: Call): Promise<WrittenReply>;
  serveControl(call: Call): Promise<WrittenReply>;
}

/** Answers a control call. Control calls are validated, but never journaled nor changed by scenarios. */
export async function serveControl(call: Call, controls: Controls): Promise<WrittenReply> {
  const startedAt = uptime();
  const route = find(call, controls);
  const isKnown = !(route instanceof ApiError);
  const reply = isKnown ? await answer(call, route, controls) : await refusal(route, call, controls);
  controls.metrics.control.add({
    operation: isKnown ? route.operation.base : undefined,
    protocol: call.protocol,
    status: reply.status,
    duration: uptime() - startedAt,
  });
  return reply;
}

async function answer(call: Call, route: Route, controls: Controls): Promise<WrittenReply> {
  const { operation } = route;
  let context: CallContext | undefined;
  try {
    if (operation.base !== 'Control_Health') admit(call, controls.token);
    refuseUntyped(operation, { contentType: header(call, 'content-type'), bytes: call.body });
    const { request, rejection } = readRequest(call, route);
    if (rejection) throw rejection;
    refuseBody(operation, call.body);
    await nextTurnIfLarge(call.body);
    const input = check(request, operation, controls.contract);
    await nextTurnIfLarge(call.body);

    const handle = handlerOf(operation, controls);
    context = contextOf(call, route, controls);
    const run = () => handle(input, context!);
    const output = await (ONCE.has(operation.base) ? run() : stored(context, operation, run));
    return writeOutput(output, operation, controls.contract);
  } catch (thrown) {
    const unkept = await context?.kept()?.then(
      () => undefined,
      (refusal: unknown) => ApiError.from(refusal),
    );
    return refusal(unkept ?? ApiError.from(thrown), call, controls, route);
  }
}

function handlerOf({ base }: Operation, { added }: Controls): AnyHandler {
  const handler = (added as Handlers)[base] ?? (controlOperations as unknown as Handlers)[base];
  if (!handler) throw new ApiError('unimplemented', `${base} is not implemented`);
  return handler;
}

/** These change environments as a whole, and say themselves when that is stored. */
const ONCE: ReadonlySet<string> = new Set([
  'Control_CreateEnvironment',
  'Control_ForkEnvironment',
  'Control_DeleteEnvironment',
  'Control_KeepEnvironment',
]);

/** Runs the handler again if another process has changed its environment first. */
async function stored(context: CallContext, { method }: Operation, run: () => unknown): Promise<unknown> {
  const { shared } = context;
  if (shared) return untilKept(shared, run);
  const output = await run();
  if (method.toUpperCase() !== 'GET') context.noteMoment();
  const storing = context.kept();
  if (storing) await storing;
  return output;
}

async function refusal(
  error: ApiError,
  call: Call,
  controls: Controls,
  route?: Route,
): Promise<WrittenReply> {
  if (error.parts.cause !== undefined)
    controls.simulator.report(`${call.method} ${call.path}`, error.parts.cause);
  const reply = errorReply(error, route?.operation, controls.contract);
  if (!route || !wantsPage(call, route.operation)) return written(reply);
  const { controlErrorPage } = await import('../pages/error-page.ts');
  const { headers: pageHeaders, markup } = controlErrorPage(error, {
    environment: environmentOf(call, route),
    address: call.baseUrl + call.url,
    hasToken: bearerTokens(call).length > 0,
    dashboardPage: route.operation.base === 'Control_GetCoverage' ? 'coverage' : 'mail',
  });
  return { ...written(reply), headers: { ...reply.headers, ...pageHeaders }, text: markup };
}

/** Whether the operation has pages, and the caller takes one. */
function wantsPage({ query, ...call }: Call, { status, responses }: Operation): boolean {
  if (!responses[status]?.content?.['text/html']) return false;
  return (query['format'] ?? preferred(header(call, 'accept') ?? '')) === 'html';
}

const environmentOf = (call: Call, { params }: Route): string =>
  params['environment'] || header(call, 'understudy-environment') || DEFAULT_ENVIRONMENT;

/** Writes the output in the media type of the document. */
function writeOutput(output: unknown, operation: Operation, contract: Contract): WrittenReply {
  const { status } = operation;
  if (output instanceof TextReply || output instanceof StreamReply) {
    const { mediaType } = output;
    contract.checkMediaType(operation, status, mediaType);
    const reply = { status, headers: { ...headers, 'content-type': mediaType }, body: undefined };
    return output instanceof TextReply
      ? { ...reply, headers: { ...output.headers, ...reply.headers }, text: output.text }
      : { ...reply, text: undefined, chunks: output.chunks };
  }
  contract.checkResponse(operation, status, output);
  return written({ status, headers, body: output });
}

const { headers, errorBody } = DIALECTS.control;

/** The error reply, validated like every reply. */
function errorReply(error: ApiError, operation: Operation | undefined, contract: Contract): Reply {
  const reply = { status: error.status, headers: { ...error.parts.headers }, body: errorBody(error) };
  try {
    if (operation) contract.checkResponse(operation, reply.status, reply.body);
    return reply;
  } catch (broken) {
    return errorReply(ApiError.from(broken), undefined, contract);
  }
}

/** Rejects unknown fields, because a misspelt field would silently do nothing. */
function check(request: UncheckedInput, operation: Operation, contract: Contract) {
  const checked = contract.checkRequest(operation, request);
  if (checked.violations.length + checked.unknown.length > 0)
    throw explainViolations(checked, operation, request, contract);
  return checked.input;
}

function find({ method, path }: Call, { contract }: Controls): Route | ApiError {
  try {
    return contract.router.route(method, path);
  } catch (thrown) {
    return unknownPath(ApiError.from(thrown), path, contract);
  }
}

interface CallContext extends ControlContext {
  /** `Environment.kept` of the environment that the call has used. */
  kept(): Promise<void> | undefined;
  /** The call may have changed clock or scenarios, which the next call finds as they are now. */
  noteMoment(): void;
  /** The environment of the call, if other processes change it, too. */
  readonly shared: Environment | undefined;
}

/** The environment is looked up on first use: calls that need none may name an unknown one. */
function contextOf(call: Call, route: Route, controls: Controls): CallContext {
  const { operation } = route;
  const name = environmentOf(call, route);
  const { baseUrl, signal = NEVER_ABORTS } = call;
  let used: Environment | undefined;
  return {
    ...controls,
    baseUrl,
    signal,
    accept: header(call, 'accept') ?? '*/*',
    get bodyText() {
      return new TextDecoder().decode(call.body);
    },
    get environment() {
      return (used ??= environmentFor(operation, name, controls));
    },
    kept: () => used?.kept(),
    noteMoment: () => void used?.moments.noteCall(),
    perform: (own) => perform(own, call, controls),
    get shared() {
      const named = controls.simulator.environments.own(name);
      return named?.log.shared && named;
    },
  };
}

/** What a call with a body may do with an environment that is read only. */
const READING = new Set(['Control_ForkEnvironment', 'Control_VerifyRequests', 'Control_MakeBundle']);

function environmentFor({ base, method }: Operation, name: string, controls: Controls): Environment {
  const environment = controls.simulator.environments.get(name);
  const { readOnly } = environment;
  if (readOnly !== undefined && method.toUpperCase() !== 'GET' && !READING.has(base))
    throw failedPrecondition(readOnly);
  return environment;
}

/** Calls of the control API have the token of the caller. */
function perform(
  own: OwnCall,
  { baseUrl, host, headers, signal }: Call,
  controls: Controls,
): Promise<WrittenReply> {
  const { method, path, query = {}, body } = own;
  const isControl = path.startsWith('/_control/');
  const search = new URLSearchParams(
    Object.entries(query).flatMap(([name, value]) =>
      [value].flat().map((each) => [name, each] as [string, string]),
    ),
  );
  const bytes = body === undefined ? undefined : new TextEncoder().encode(body);
  const made: Call = {
    protocol: 'http/1.1',
    method,
    path,
    url: search.size > 0 ? `${path}?${search}` : path,
    query,
    headers: { ...own.headers, ...(isControl && { authorization: headers['authorization'] }) },
    body: bytes,
    size: bytes?.length ?? 0,
    baseUrl,
    host,
    ...(signal && { signal }),
  };
  return isControl ? serveControl(made, controls) : serve(made, controls.simulator);
}

/** Throws `unauthenticated` without the token of the control API, if there is one. */
export function admit(call: Call, token: string | undefined): void {
  if (token !== undefined && !isSecret(bearerTokens(call)[0] ?? '', token)) {
    throw unauthenticated('the control API requires the token of UNDERSTUDY_CONTROL_TOKEN');
  }
}
