// Expands openapi/later.yaml, the list of operations that answer 501, into OpenAPI operations.
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

const shapeOf = (path) => path.replaceAll(/\{[^}]+\}/g, '{}');

/** Adds the operations to a document. Throws if one already exists or if a path names its variables differently. */
export function addLaterOperations(document) {
  const later = parse(readFileSync('openapi/later.yaml', 'utf8'));
  const known = new Map(Object.keys(document.paths).map((path) => [shapeOf(path), path]));
  for (const [id, { summary, bindings }] of Object.entries(later)) {
    for (const [index, binding] of bindings.entries()) {
      const [verb, path] = binding.split(' ');
      const written = known.get(shapeOf(path)) ?? path;
      if (written !== path) throw new Error(`openapi/later.yaml: ${id}: the document writes ${written}`);
      known.set(shapeOf(path), path);
      const item = (document.paths[path] ??= {});
      if (item[verb.toLowerCase()]) throw new Error(`openapi/later.yaml: ${id}: ${binding} is there already`);
      const parameters = item.parameters ? [] : variablesOf(path);
      item[verb.toLowerCase()] = operation(index === 0 ? id : `${id}${index + 1}`, summary, parameters);
    }
  }
}

function variablesOf(path) {
  const names = path.match(/(?<=\{)[^}]+(?=\})/g) ?? [];
  return names.map((name) => ({ name, in: 'path', required: true, schema: { type: 'string' } }));
}

function operation(operationId, summary, parameters) {
  return {
    operationId,
    tags: ['Later'],
    summary,
    description: 'Not built yet: the answer is 501.',
    'x-later': true,
    parameters,
    responses: {},
  };
}
