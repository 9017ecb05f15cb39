// Finds operations of an OpenAPI document without summary, description or example.

const VERBS = ['get', 'put', 'post', 'delete', 'patch'];

/** Returns one error for each summary, description or example that is missing in a bundled document. */
export function incompleteOperations(document) {
  return Object.values(document.paths)
    .flatMap((item) => VERBS.flatMap((verb) => item[verb] ?? []))
    .flatMap((operation) =>
      lacksOf(document, operation).map((lack) => `${operation.operationId} has no ${lack}`),
    );
}

function lacksOf(document, { summary, description, requestBody, responses }) {
  const body = requestBody && resolve(document, requestBody);
  const [, success] = Object.entries(responses).find(([status]) => status < 400) ?? [];
  const json = success && resolve(document, success).content?.['application/json'];
  return [
    ...(summary?.trim() ? [] : ['summary']),
    ...(description?.trim() ? [] : ['description']),
    ...(body && !Object.values(body.content).some(hasExample) ? ['example of its request body'] : []),
    ...(json && !hasExample(json) ? ['example of its success response'] : []),
  ];
}

const hasExample = ({ example, examples = {} }) => example !== undefined || Object.keys(examples).length > 0;

function resolve(document, { $ref, ...written }) {
  if ($ref === undefined) return written;
  const keys = $ref.slice(2).split('/');
  return keys.reduce((at, key) => at[key.replaceAll('~1', '/').replaceAll('~0', '~')], document);
}
