import { evidenceFor } from '@understudy/client/evidence';
import { shortened } from '@understudy/text/suggestion';
import { nearestByWords, searchByWords } from '@understudy/text/word-search';
import { ToolError } from './service-address.ts';
import { ApiDocument, type DescribedOperation } from './schemas.ts';
import type { ToolOutput } from './tool.ts';

const DOCUMENTS = new WeakMap<object, ApiDocument>();

/** Reading a document takes some milliseconds, so it is read once. */
export function apiOf(document: object): ApiDocument {
  const known = DOCUMENTS.get(document);
  if (known) return known;
  const api = new ApiDocument(document);
  DOCUMENTS.set(document, api);
  return api;
}

const MOST_FOUND = 30;
const MOST_HINTS = 5;
const MOST_WORDS = 20;
/** A second path of an operation has its name with a number. */
const FURTHER = /_\w+[2-4]$/;

function matching(document: object, search: string): DescribedOperation[] {
  const all = [...apiOf(document).operations.values()].filter(
    ({ operationId }) => !FURTHER.test(operationId),
  );
  const items = all.map((operation) => {
    const { operationId: name, method, path, summary } = operation;
    return { name, text: `${method} ${path} ${summary}`, operation };
  });
  return (search.trim() === '' ? items : searchByWords(search, items)).map(({ operation }) => operation);
}

export function findOperations(document: object, search: string): ToolOutput {
  const { length } = search.split(/\s+/).filter(Boolean);
  if (length > MOST_WORDS) throw new ToolError(`search: must have at most ${MOST_WORDS} words`);
  const found = matching(document, search);
  if (found.length === 0)
    throw new ToolError(`search: no operation has the words ${shortened(search)}; try others`);
  const operations = found
    .slice(0, MOST_FOUND)
    .map(({ operationId: operation, method, path, summary }) => ({ operation, method, path, summary }));
  const rest = found.length - operations.length;
  const lines = operations.map(
    ({ operation, method, path, summary }) => `${operation}: ${method} ${path}: ${summary}`,
  );
  return {
    text: [...lines, ...(rest > 0 ? [`${rest} more: search for more words.`] : [])].join('\n'),
    data: { operations, total: found.length },
  };
}

/** Throws ToolError with the nearest operation. */
function operationNamed(document: object, name: string): DescribedOperation {
  const { operations } = apiOf(document);
  const found = operations.get(name);
  if (found) return found;
  const near = nearestByWords(name, [...operations.keys()]);
  const others = matching(document, name).filter(({ operationId }) => operationId !== near);
  const also = others.slice(0, MOST_HINTS).map(({ operationId }) => operationId);
  const hint = near === undefined ? '' : `; did you mean ${near}?`;
  throw new ToolError(
    `operation: the API has no operation ${shortened(name)}${hint}` +
      (also.length > 0
        ? ` Others with such words: ${also.join(', ')}.`
        : '; describe_operation finds operations'),
  );
}

/** Every path of the operation. */
export function bindingsOf(document: object, name: string): DescribedOperation[] {
  const first = operationNamed(document, name);
  const { operations } = apiOf(document);
  const further = [2, 3, 4].flatMap((number) => operations.get(`${name}${number}`) ?? []);
  return [first, ...further];
}

/** An operation without what only tools for OpenAPI need. */
export function describeOperation(document: object, name: string): Record<string, unknown> {
  const api = apiOf(document);
  const bindings = bindingsOf(document, name);
  const { operationId, summary, description, parameters, requestBody, responses } = bindings[0]!;
  const evidence = evidenceFor(document, operationId);
  const [[mediaType, body] = []] = Object.entries(requestBody?.content ?? {});
  return {
    operation: operationId,
    calls: bindings.map(({ method, path }) => `${method} ${path}`),
    summary,
    ...(description && { description }),
    parameters: parameters.map(
      ({ name: parameter, in: place, required = false, description: text, schema }) => ({
        name: parameter,
        in: place,
        required,
        ...(text && { description: text }),
        schema: api.inlined(schema),
      }),
    ),
    ...(body && {
      body: {
        media_type: mediaType,
        required: requestBody?.required ?? false,
        schema: api.inlined(body.schema, 8),
        ...(body.example !== undefined && { example: body.example }),
      },
    }),
    statuses: Object.keys(responses),
    ...(evidence && { evidence }),
  };
}
