// openapi/ -> descriptors of our own RPCs (openapi/proto), the served documents, the compiled contracts that the program validates with, and their types.
import { bundle, createConfig } from '@redocly/openapi-core';
import { putEnvelopes } from './events.mjs';
import { addLaterOperations } from './later.mjs';
import { Numbering } from './numbering.mjs';
import { compileProto } from './proto.mjs';
import { replaceFile } from './replace-folder.mjs';
import { served } from './served.mjs';
import openapiTS, { astToString } from 'openapi-typescript';

const VERBS = ['get', 'put', 'post', 'delete', 'patch'];
const ENVIRONMENT_FREE = /\/(health|ca\.pem|openapi\.json|environments)(\/|$)/;

const config = await createConfig({});

replaceFile('dist/rpc.binpb', compileProto('openapi/proto'));
await generate({ source: 'openapi/openapi.yaml', name: 'openapi', isOpen: true, before: writeOut });
const control = await generate({
  source: 'openapi/control.yaml',
  name: 'control',
  isOpen: false,
  also: bindToEnvironments,
});
replaceFile('src/contract/control-routes.gen.ts', routesOf(control));

async function generate({ source, name, isOpen, before, also }) {
  const { bundle: bundled, problems } = await bundle({ ref: source, config });
  for (const { message } of problems) throw new Error(`${source}: ${message}`);
  before?.(bundled.parsed);
  const document = addErrorResponses(bundled.parsed);
  also?.(document);
  replaceFile(`dist/${name}.json`, JSON.stringify(served(document, { isOpen })));
  replaceFile(`dist/${name}.contract.json`, JSON.stringify(compile(document)));
  replaceFile(`src/contract/${name}.gen.ts`, astToString(await openapiTS(document)));
  return document;
}

function writeOut(document) {
  addLaterOperations(document);
  putEnvelopes(document);
}

/** Where a client finds each call; those of an environment have a second path, which names it. */
function routesOf(document) {
  const found = [...eachOperation(document)];
  const ids = new Set(found.map(({ operation }) => operation.operationId));
  const routes = found
    .filter(({ operation }) => !/\d$/.test(operation.operationId))
    .map(({ path, verb, operation: { operationId: id } }) => {
      const route = {
        method: verb.toUpperCase(),
        path: path.replace('/_control/v1', ''),
        ofEnvironment: ids.has(`${id}2`),
      };
      return `  ${id}: ${JSON.stringify(route)},\n`;
    });
  return `export const controlRoutes = {\n${routes.join('')}} as const;\n`;
}

/** Every operation declares every failure that can reach it: one table in the root, copied here. */
function addErrorResponses(document) {
  const {
    'x-error-responses': envelope,
    'x-oauth-error-responses': oauth,
    'x-page-error-responses': page,
    ...rest
  } = document;
  const errorsOf = { envelope, oauth, page };
  for (const { operation } of eachOperation(rest)) {
    if (operation['x-open']) continue;
    const errors = errorsOf[operation['x-error-shape'] ?? 'envelope'];
    for (const [status, response] of Object.entries(errors)) operation.responses[status] ??= response;
  }
  return rest;
}

/** Each call on an environment has a second path that names it. */
function bindToEnvironments(document) {
  for (const [path, item] of Object.entries(document.paths)) {
    if (ENVIRONMENT_FREE.test(path)) continue;
    const bound = structuredClone(item);
    bound.parameters = [{ $ref: '#/components/parameters/environment' }, ...(item.parameters ?? [])];
    for (const verb of VERBS) if (bound[verb]) bound[verb].operationId += '2';
    document.paths[path.replace('/_control/v1', '/_control/v1/environments/{environment}')] = bound;
  }
}

/** What the program needs to route and to validate: parameters in place, schemas by name, responses by number. */
function compile(document) {
  const responses = new Numbering();
  const operations = Array.from(eachOperation(document), (found) =>
    compileOperation(document, found, responses),
  );
  const messages = Object.entries(document.webhooks ?? {}).map(([name, item]) => {
    const { operationId } = item.post;
    const message = compileOperation(
      document,
      { path: name, verb: 'post', item, operation: item.post },
      responses,
    );
    return { ...message, sent: operationId.slice(0, operationId.indexOf('.')) };
  });
  const { schemas } = document.components;
  const { version } = document.info;
  const compiled = { version, operations, messages, responses: responses.values, schemas };
  return JSON.parse(JSON.stringify(compiled, prune).replaceAll('"#/components/schemas/', '"schema:'));
}

function compileOperation(document, { path, verb, item, operation }, numbering) {
  const resolve = (thing) => resolveIn(document, thing);
  const { requestBody, responses, security = document.security } = operation;
  const body = requestBody && resolve(requestBody);
  return {
    id: operation.operationId,
    base: operation.operationId.replace(/\d+$/, ''),
    method: verb.toUpperCase(),
    path,
    status: Number(Object.keys(responses).find((status) => status < 400) ?? 501),
    later: operation['x-later'],
    secured: security.length > 0 && security.every((scheme) => Object.keys(scheme).length > 0),
    callers: operation['x-callers'],
    bodyField: operation['x-body-field'],
    open: operation['x-open'],
    errorShape: operation['x-error-shape'] ?? 'envelope',
    ...compileParameters([...(item.parameters ?? []), ...(operation.parameters ?? [])].map(resolve)),
    requestBody: body && { required: body.required === true, content: schemasOf(body) },
    responses: Object.fromEntries(
      Object.entries(responses).map(([status, response]) => [
        status,
        numbering.of({ content: schemasOf(resolve(response)) }),
      ]),
    ),
  };
}

/** Cookies are never refused: a browser sends what it has. */
function compileParameters(all) {
  const cookies = all.filter((each) => each.in === 'cookie').map(({ name }) => name);
  const parameters = all.filter((each) => each.in !== 'cookie').map(compileParameter);
  return { parameters, ...(cookies.length > 0 && { cookies }) };
}

/** The service reads any character in a query value, and none at all. */
function compileParameter({ name, in: place, required, schema, style, explode }) {
  return { name, in: place, required, schema, style, explode, allowReserved: true, allowEmptyValue: true };
}

function resolveIn(document, thing) {
  if (!thing.$ref) return thing;
  const keys = thing.$ref.slice(2).split('/');
  return keys.reduce((at, key) => at[key.replaceAll('~1', '/').replaceAll('~0', '~')], document);
}

function schemasOf({ content }) {
  return (
    content && Object.fromEntries(Object.entries(content).map(([type, { schema }]) => [type, { schema }]))
  );
}

/** Prose is for readers of the document. A member may be called description: only texts go. */
function prune(key, value) {
  const prose = ['description', 'summary', 'example', 'title'].includes(key) && typeof value === 'string';
  return prose || key === 'x-also' || (key === 'examples' && Array.isArray(value)) ? undefined : value;
}

function* eachOperation(document) {
  for (const [path, item] of Object.entries(document.paths)) {
    for (const verb of VERBS) if (item[verb]) yield { path, verb, item, operation: item[verb] };
  }
}
