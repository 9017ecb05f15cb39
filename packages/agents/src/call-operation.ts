import { isObject } from '@understudy/text/json';
import { suggestAmong, shortened } from '@understudy/text/suggestion';
import { USER_AGENT } from './access-tokens.ts';
import { jsonOrText } from '@understudy/text/json';
import { ToolError, sendCall } from './service-address.ts';
import { bindingsOf } from './operation-search.ts';
import type { DescribedOperation } from './schemas.ts';
import type { ToolContext } from './service.ts';
import { clipped } from './size.ts';
import type { ToolOutput } from './tool.ts';

export interface CallArguments {
  operation: string;
  parameters?: Record<string, unknown>;
  body?: unknown;
  headers?: Record<string, unknown>;
  token?: string;
}

const FORM = 'application/x-www-form-urlencoded';
const SHOWN_HEADERS = ['content-type', 'location', 'retry-after', 'www-authenticate', 'understudy-warnings'];

/** Calls an operation as an application does. */
export async function callOperation(args: CallArguments, context: ToolContext): Promise<ToolOutput> {
  const { parameters = {}, token, body } = args;
  const operation = bindingFor(context.access.documents.service(), args.operation, parameters);
  const path = pathOf(operation, parameters);
  const own = sendable('headers', textsOf(args.headers));
  if (token !== undefined) sendable('token', { authorization: token });
  const bearer = token ?? (await context.access.tokens.of(context));
  const type = body === undefined ? undefined : mediaTypeOf(operation);
  const { address, environment, signal } = context;
  const response = await sendCall(address, path, {
    method: operation.method,
    headers: {
      ...own,
      'user-agent': USER_AGENT,
      'understudy-environment': environment.name,
      ...(bearer !== '' && { authorization: `Bearer ${bearer}` }),
      ...(type !== undefined && { 'content-type': type }),
    },
    redirect: 'manual',
    signal,
    ...(body !== undefined && { body: type === FORM ? formOf(body) : JSON.stringify(body) }),
  });
  if (response.status === 401) context.access.tokens.forget();
  return outputOf(operation, path, response);
}

/** The headers with names in lower case. Throws ToolError for what HTTP cannot carry. */
function sendable(argument: string, headers: Record<string, string>): Record<string, string> {
  try {
    return Object.fromEntries(new Headers(headers));
  } catch (thrown) {
    throw new ToolError(`${argument}: ${(thrown as Error).message}`);
  }
}

/** The path of the operation whose parameters are all given. */
function bindingFor(document: object, name: string, given: Record<string, unknown>): DescribedOperation {
  const bindings = bindingsOf(document, name);
  const complete = bindings.find((binding) =>
    pathNames(binding.path).every((each) => given[each] !== undefined),
  );
  if (complete) return complete;
  const [{ method, path }] = bindings as [DescribedOperation];
  const missing = pathNames(path).find((each) => given[each] === undefined);
  throw new ToolError(`parameters.${missing}: missing; ${name} is ${method} ${path}`);
}

const pathNames = (path: string): string[] => Array.from(path.matchAll(/\{(\w+)\}/g), ([, name]) => name!);

function pathOf(
  { operationId, path, parameters }: DescribedOperation,
  given: Record<string, unknown>,
): string {
  const names = parameters.filter((each) => each.in !== 'header').map(({ name }) => name);
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(given)) {
    if (!names.includes(name))
      throw new ToolError(
        `parameters.${shortened(name)}: ${operationId} has no such parameter${suggestAmong(name, names)}; give members of the request body in body`,
      );
    if (!path.includes(`{${name}}`))
      for (const each of [value].flat())
        search.append(name, typeof each === 'string' ? each : JSON.stringify(each));
  }
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encoded(name, given[name]));
  return search.size > 0 ? `${filled}?${search.toString()}` : filled;
}

function encoded(name: string, value: unknown): string {
  try {
    return encodeURIComponent(String(value));
  } catch {
    throw new ToolError(`parameters.${name}: has half of a character (a lone surrogate)`);
  }
}

function mediaTypeOf({ requestBody }: DescribedOperation): string {
  const types = Object.keys(requestBody?.content ?? {});
  return types.includes('application/json') ? 'application/json' : (types[0] ?? 'application/json');
}

const formOf = (body: unknown): string => new URLSearchParams(isObject(body) ? textsOf(body) : {}).toString();

const textsOf = (values: Record<string, unknown> = {}): Record<string, string> =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]),
  );

async function outputOf(
  { operationId, method }: DescribedOperation,
  path: string,
  response: Response,
): Promise<ToolOutput> {
  const { status } = response;
  const id = response.headers.get('understudy-request-id') ?? undefined;
  const { value: body, isCut } = clipped(jsonOrText(await response.text()));
  const headers = Object.fromEntries(
    SHOWN_HEADERS.flatMap((name) => {
      const value = response.headers.get(name);
      return value === null ? [] : [[name, value]];
    }),
  );
  const lines = [
    `${method} ${path} (${operationId}) → ${status}${id === undefined ? '' : ` (${id})`}`,
    ...(body === '' ? [] : [typeof body === 'string' ? body : JSON.stringify(body)]),
    ...(isCut ? ['Long values are cut: ask for fewer items.'] : []),
    ...(status >= 400 && id !== undefined ? [`explain_call with id ${id} says why.`] : []),
  ];
  return {
    text: lines.join('\n'),
    data: { status, body, headers, request_id: id },
  };
}
