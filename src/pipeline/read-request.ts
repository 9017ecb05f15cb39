import { malformedPair, readBody } from '../contract/body.ts';
import type { Operation } from '../contract/compiled.ts';
import type { UncheckedInput } from '../contract/contract.ts';
import type { Route } from '../contract/router.ts';
import { ApiError, invalidArgument } from '../errors.ts';
import { isObject } from '../json-object.ts';
import { header, type Call } from './call.ts';
import { withBasic } from './client-credentials.ts';

export interface ReadRequest {
  request: UncheckedInput;
  /** Why path, query or body can't be read; it counts when the request is checked, after authentication and scenarios. */
  rejection?: ApiError;
}

/** The call as the contract looks at it. Nothing is judged yet. */
export function readRequest(call: Call, { operation, params, rejection }: Route): ReadRequest {
  const { method, url, query, headers } = call;
  const request: UncheckedInput = { method, url, params, query, headers, mediaType: '', body: undefined };
  if (call.body && !operation.requestBody) request.unasked = call.body;
  const known = rejection ?? malformedQuery(url) ?? call.bodyError;
  if (known) return { request, rejection: known };
  try {
    const { mediaType, value } = readBody(
      { contentType: header(call, 'content-type'), bytes: call.body },
      operation,
    );
    request.mediaType = mediaType;
    request.body = withCredentials(value, operation, call);
    return { request };
  } catch (thrown) {
    return { request, rejection: ApiError.from(thrown) };
  }
}

function malformedQuery(url: string): ApiError | undefined {
  const at = url.indexOf('?');
  const name = at < 0 ? undefined : malformedPair(url.slice(at + 1));
  if (name === undefined) return undefined;
  return invalidArgument(`malformed percent-encoding in the query: ${name}`);
}

/** At the endpoints of OAuth, HTTP Basic is another spelling of the form's client_id and client_secret. */
const withCredentials = (body: unknown, operation: Operation, call: Call): unknown =>
  operation.errorShape === 'oauth' && isObject(body) ? withBasic(body, call) : body;
