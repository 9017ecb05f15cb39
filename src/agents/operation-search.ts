import { suggestAmong, shortened } from '../text/suggestion.ts';
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
const MOST_WORDS = 20;
/** A second path of an operation has its name with a number. */
const FURTHER = /_\w+[2-4]$/;

/** The number of characters of the operation's name that the words do not cover: the fewer, the better the match. */
function restOf({ operationId }: DescribedOperation, words: readonly string[]): number {
  const name = operationId.replace(/^.*_/, '').toLowerCase();
  return words.reduce((left, word) => left - (name.includes(word) ? word.length : -word.length), name.length);
}

export function findOperations(document: object, search: string): ToolOutput {
  const words = [...new Set(search.toLowerCase().split(/\s+/).filter(Boolean))];
  if (words.length > MOST_WORDS) throw new ToolError(`search: must have at most ${MOST_WORDS} words`);
  const all = [...apiOf(document).operations.values()];
  const found = all.filter(({ operationId, method, path, summary }) => {
    if (FURTHER.test(operationId)) return false;
    const text = `${operationId} ${method} ${path} ${summary}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
  if (found.length === 0)
    throw new ToolError(`search: no operation has all of these words: ${words.join(', ')}; try one word`);
  const operations = found
    .toSorted((a, b) => restOf(a, words) - restOf(b, words))
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
export function operationNamed(document: object, name: string): DescribedOperation {
  const { operations } = apiOf(document);
  const found = operations.get(name);
  if (found) return found;
  const hint = suggestAmong(name, [...operations.keys()]);
  throw new ToolError(
    `operation: the API has no operation ${shortened(name)}${hint}; describe_operation finds operations`,
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
  };
}
